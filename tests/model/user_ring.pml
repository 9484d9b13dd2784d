/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of a thread, and the gate: annotations put records in, the flusher takes them
 * out and sleeps when there is nothing, Stop ends it. runtime/annotate/gate.h, emit.h,
 * runtime/flush/flusher.c.
 *
 * What a processor does is modelled, not what a language allows (c11.py is for that): each
 * thread's stores wait in a buffer, first in, first out, and reach memory when they please.
 * membarrier(2) empties all buffers; annotations have no fence of their own.
 *
 * To hold: Stop finds each record that a call has called recorded, and none comes later; a
 * record is read whole and once, and is not written over before; the flusher never sleeps
 * while there is something to read that nobody will tell it of.
 *
 * FAULT plants one: 1 Stop without membarrier; 2 an annotation does not look at the gate
 * again; 3 the flusher sleeps without membarrier; 4 and without looking again; 5 the head
 * before the record; 6 the tail before the copy; 7 the annotation leaves before its head;
 * 8 the ring's end is not looked at; 9 the flusher says that it sleeps after it has looked.
 */
#ifndef FAULT
#define FAULT 0
#endif

#define THREADS 2
#ifndef SECOND
#define SECOND 1	/* annotations of the second thread */
#endif
#define ROUNDS (me -> SECOND : 2)
#define SLOTS 1		/* of a ring */
#define STORES 2	/* that a buffer can hold */

/* what a store is to */
#define PASS 0
#define HEAD 1
#define SLOT 2
#define ASLEEP 3

typedef ring {
	bit pass;	/* 1: inside an annotation */
	byte head;
	byte tail;	/* the flusher's: read with acquire, written with release */
	byte slot[SLOTS];
	byte taken;	/* of it by the flusher */
	byte recorded;	/* calls that returned success */
};

ring r[THREADS];
bit gate = 1;
bit asleep;
bit awake;		/* the eventfd */
bit stopped;		/* Stop knows that nobody is inside */
bit idle;		/* the flusher sleeps, and nobody would wake it */
byte ended;
chan buffer[THREADS] = [STORES] of { byte, byte };
chan own = [STORES] of { byte, byte };	/* the flusher's */

inline apply(me, what, value)
{
	if
	:: what == PASS -> r[me].pass = value
	:: what == HEAD -> r[me].head = value
	:: what == SLOT -> r[me].slot[(value - 1) % SLOTS] = value
	:: what == ASLEEP -> asleep = value
	fi
}

inline empty_buffers(what, value, i)
{
	i = 0;
	do
	:: i < THREADS ->
		do
		:: buffer[i]?what, value -> apply(i, what, value)
		:: empty(buffer[i]) -> break
		od;
		i++
	:: else -> break
	od
	do
	:: own?what, value -> apply(0, what, value)
	:: empty(own) -> break
	od
}

/* Memory, which takes stores when it likes. */
active proctype memory()
{
	byte what, value, i;

end:	do
	:: d_step { nempty(buffer[0]) -> buffer[0]?what, value; apply(0, what, value); what = 0; value = 0 }
	:: d_step { nempty(buffer[1]) -> buffer[1]?what, value; apply(1, what, value); what = 0; value = 0 }
	:: d_step { nempty(own) -> own?what, value; apply(0, what, value); what = 0; value = 0 }
	od
}

proctype annotate(byte me)
{
	byte n = 0, head = 0;
	bit on, again;

	do
	:: n == ROUNDS -> break
	:: else ->
		n++;
		on = gate;
		if
		:: !on -> skip
		:: on ->
			buffer[me]!PASS, 1;
#if FAULT != 2
			again = gate;
#else
			again = 1;
#endif
			if
			:: !again -> buffer[me]!PASS, 0
			:: again ->
				if
#if FAULT != 8
				:: head - r[me].tail == SLOTS ->
					skip	/* full: dropped, and counted */
				:: head - r[me].tail < SLOTS ->
#else
				:: true ->
#endif
					head++;
#if FAULT == 5
					buffer[me]!HEAD, head;
					buffer[me]!SLOT, head;
#elif FAULT == 7
					buffer[me]!SLOT, head;
					buffer[me]!PASS, 0;
					buffer[me]!HEAD, head;
#else
					buffer[me]!SLOT, head;
					buffer[me]!HEAD, head;
#endif
					r[me].recorded++;
					if	/* a system call drains the buffer before it is seen */
					:: asleep -> empty(buffer[me]); asleep = 0; awake = 1
					:: !asleep -> skip
					fi
				fi;
				buffer[me]!PASS, 0
			fi
		fi
	od;
	empty(buffer[me]);
	ended++
}

/* All that is in the rings now. */
inline take(i, head)
{
	i = 0;
	do
	:: i < THREADS ->
		head = r[i].head;
		do
		:: r[i].taken < head ->
#if FAULT == 6
			r[i].tail = r[i].taken + 1;
#endif
			assert(r[i].slot[r[i].taken % SLOTS] == r[i].taken + 1);
			r[i].taken++;
#if FAULT != 6
			r[i].tail = r[i].taken
#endif
		:: else -> break
		od;
		i++
	:: else -> break
	od;
	i = 0;
	head = 0
}

#define pending (r[0].head != r[0].taken || r[1].head != r[1].taken)

active proctype flusher()
{
	byte i, head, what, value;
	bit more;

end:	do
	:: stopped -> break
	:: !stopped ->
		take(i, head);
#if FAULT == 9
		more = pending;
#endif
		own!ASLEEP, 1;
#if FAULT != 3
		d_step { empty_buffers(what, value, i); what = 0; value = 0; i = 0 }
#endif
#if FAULT == 4
		more = 0;
#elif FAULT != 9
		more = pending;
#endif
		if
		:: more -> skip
		:: !more ->
			if
			:: awake -> awake = 0
			:: stopped -> skip	/* Stop tells it, too */
			:: timeout ->	/* it would sleep for ever */
				assert(!pending);
				idle = 1;
				stopped
			fi
		fi;
		own!ASLEEP, 0
	od;
	empty(own);
	take(i, head);
	/* what is in now is all that there will ever be */
	ended == THREADS;
	assert(r[0].taken == r[0].recorded && r[1].taken == r[1].recorded)
}

active proctype stop()
{
	byte i, what, value;

	if	/* in the middle of it, or when nothing happens any more */
	:: true -> idle
	:: true -> skip
	fi;
	gate = 0;
#if FAULT != 1
	d_step { empty_buffers(what, value, i); what = 0; value = 0; i = 0 }
#endif
	!r[0].pass;
	!r[1].pass;
	stopped = 1
}

init
{
	atomic { run annotate(0); run annotate(1) }
}
