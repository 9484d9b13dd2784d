/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring between a stream of the module and the reader that has mapped it: kmod/core/ring.c.
 *
 * Positions count up and wrap, as the real ones do. A store of the writer's into the data is
 * seen by the reader at any later moment, unless a release store is made behind it; what the
 * reader loads may come later than its next store, unless that is a release. The reader is
 * honest, or stores anything at all as its tail at any two moments.
 *
 * To hold: an honest reader gets every record once and in order, with each gap told where it
 * is and how many it holds; the end of the stream always finds room; and whatever the
 * reader stores, the writer never takes more for free than there is, and writes nothing
 * more once it has been lied to.
 *
 * FAULT plants one: 1 the head is shown before the record is there; 2 the tail frees a
 * record that is still being read; 3 a full ring is written to; 4 a gap is told behind the
 * record that follows it; 5 any tail is believed; 6 the record that is dropped with the
 * LOST record is not counted; 7 nothing is kept for the end.
 */
#ifndef FAULT
#define FAULT 0
#endif

#define SIZE 4
#define WRAP 15		/* positions are taken & WRAP */
#define RECORDS 6
#if FAULT == 7
#define RESERVE 0
#else
#define RESERVE 2	/* LOST, and the end */
#endif
#define LOST 32		/* + how many */
#define END 31

#define distance(from, to) ((to - from) & WRAP)

byte data[SIZE];		/* as the reader sees it */
byte head_shown = 13;		/* near the wrap */
byte tail_shown = 13;
byte late_value, late_at;	/* a store that is on its way */
bit late;
bit dead;			/* the module has found a lie */
byte lies;
bit ended;			/* the end is in the ring */
bit honest, chosen;	/* which of both the reader is */
byte read_at = 13;		/* what the honest reader has still to read */

/* The memory between both. */
active proctype memory()
{
end:	do
	:: atomic { late -> data[late_at] = late_value; late = 0 }
	od
}

byte head = 13, tail = 13, pending, lost;

inline sync()
{
	if
	:: dead -> skip
	:: !dead ->
		seen = tail_shown;
		if
#if FAULT != 5
		:: distance(seen, head) > distance(tail, head) -> dead = 1
#endif
		:: else -> tail = seen
		fi
	fi;
	/* what is free is what was read */
	assert(distance(tail, head) <= SIZE);
	assert(!honest || distance(tail, head) >= distance(read_at, head))
}

/* one place: @value at the head, shown to the reader */
inline put(value)
{
	d_step { !late -> late_value = value; late_at = head % SIZE; late = 1 };
#if FAULT == 1
	head = (head + 1) & WRAP;
	head_shown = head
#else
	!late;	/* release: the record first */
	head = (head + 1) & WRAP;
	head_shown = head
#endif
}

#if FAULT == 3
#define room(keep) (1)
#else
#define room(keep) (SIZE - distance(tail, head) >= 1 + keep)
#endif

active proctype writer()
{
	byte n = 1, seen;

	if
	:: true -> honest = 1
	:: true -> skip
	fi;
	chosen = 1;
	do
	:: n > RECORDS -> break
	:: n <= RECORDS ->
		sync();
		if
		:: dead -> lost++
		:: !dead ->
			if
			:: pending && !room(RESERVE + 1) ->
				lost++;
#if FAULT != 6
				pending++
#else
				skip
#endif
			:: pending && room(RESERVE + 1) ->
#if FAULT == 4
				put(n);
				put(LOST + pending);
#else
				put(LOST + pending);
				put(n);
#endif
				pending = 0
			:: !pending && room(RESERVE) -> put(n)
			:: !pending && !room(RESERVE) -> pending++; lost++
			fi
		fi;
		n++
	od;
	sync();
	if
	:: dead -> skip
	:: !dead ->
		if
		:: pending -> assert(room(1)); put(LOST + pending); pending = 0
		:: !pending -> skip
		fi;
		assert(room(0));
		put(END)
	fi;
	ended = 1;
	/* only who was lied to gives up */
	assert(!dead || lies)
}

active proctype reader()
{
	byte next = 1, told, upto, value;

	chosen;
	do
	:: honest && read_at != head_shown ->
		upto = head_shown;
		do
		:: read_at == upto -> break
		:: read_at != upto ->
#if FAULT == 2
			tail_shown = (read_at + 1) & WRAP;
#endif
			value = data[read_at % SIZE];
			read_at = (read_at + 1) & WRAP;
			if
			:: value == END -> assert(next == RECORDS + 1); goto done
			:: value > LOST -> next = next + value - LOST; told = told + value - LOST
			:: else -> assert(value == next); next++
			fi
		od;
#if FAULT != 2
		tail_shown = read_at
#endif
	:: !honest && !ended && lies < 2 ->
		select(value : 0 .. WRAP);
		d_step { lies++; tail_shown = value }
	:: !honest && (ended || lies == 2) -> goto over
	od;
done:	assert(told == lost);
over:	skip
}
