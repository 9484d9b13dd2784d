/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork() and the end of the program, while others start, stop and annotate:
 * runtime/session/session.c, the handlers in annotate/ and session/fds.c.
 *
 * Two locks stand for all: the session's, and one of the lists that annotations take as well
 * (threads, ranges, stamps). A thread starts and stops; one annotates; one forks, and has a
 * signal handler that annotates; one ends the program. The child is what fork copied.
 *
 * To hold: nobody waits for ever; the child finds no list half changed, has no lock and no
 * session, writes nothing into its parent's, and can begin its own; a session is stopped
 * once, and what was recorded in it is in it.
 *
 * FAULT plants one: 1 the locks are taken in another order; 2 the lists' is not taken;
 * 3 signals are not blocked; 4 the child's gate is shut after they are let in again;
 * 5 the end does not wait for who is inside Start; 6 nor for annotations; 7 the child keeps
 * a lock; 8 Stop does not look whether somebody else has stopped.
 */
#ifndef FAULT
#define FAULT 0
#endif

bit session, lists;		/* locks */
bit session_half, lists_half;	/* what they guard is being changed */
bit gate, runs;
byte inside;			/* annotations under way */
byte recorded, flushed, started, stopped;
bit over, forked;
byte ended;			/* of the five that do something */

/* of the child */
bit c_session, c_lists, c_gate, c_own;
byte c_stray, c_recorded;

inline lock(which) { atomic { !which -> which = 1 } }
inline unlock(which) { which = 0 }

inline stop_it()
{
#if FAULT != 8
	if
	:: runs ->
#endif
		gate = 0;
#if FAULT != 6
		inside == 0;
#endif
		flushed = recorded;
		assert(runs);
		runs = 0;
		stopped++
#if FAULT != 8
	:: !runs -> skip
	fi
#endif
}

/* An annotation that finds itself in no list yet. */
inline annotate()
{
	if
	:: gate ->
		inside++;
		if
		:: gate ->
			lock(lists);
			lists_half = 1;
			lists_half = 0;
			unlock(lists);
			recorded++
		:: !gate -> skip
		fi;
		inside--
	:: !gate -> skip
	fi
}

active proctype starter()
{
	lock(session);
	assert(!session_half);
	session_half = 1;
	lock(lists);
	assert(!lists_half);
	lists_half = 1;
	lists_half = 0;
	unlock(lists);
	if
	:: over -> skip
	:: !over -> runs = 1; started++; gate = 1
	fi;
	session_half = 0;
	unlock(session);

	lock(session);
	stop_it();
	unlock(session);
	ended++
}

active proctype worker()
{
	annotate();
	annotate();
	ended++
}

/* A signal may come to the thread that forks, wherever it does not block them. */
inline signal_may_come()
{
	if
	:: true -> skip
	:: true -> annotate()
	fi
}

proctype child()
{
#if FAULT != 4
	c_gate = 0;
#endif
#if FAULT != 7
	c_lists = 0;
#endif
	c_session = 0;
	/* signals are let in: what a handler finds that runs as soon as it may */
	if
	:: c_gate -> c_stray++
	:: !c_gate -> skip
	fi;
#if FAULT == 4
	c_gate = 0;
#endif
	/* a session of its own */
	lock(c_session);
	lock(c_lists);
	c_own = 1;
	c_gate = 1;
	unlock(c_lists);
	unlock(c_session);
	if
	:: c_gate && c_own -> c_recorded++
	:: c_gate && !c_own -> c_stray++
	:: !c_gate -> skip
	fi;
	assert(c_stray == 0 && c_recorded == 1);
	ended++
}

active proctype forker()
{
	signal_may_come();
	/* signals are blocked */
#if FAULT == 1
	lock(lists);
	lock(session);
#else
	lock(session);
#if FAULT != 2
	lock(lists);
#endif
#endif
#if FAULT == 3
	signal_may_come();
#endif
	d_step {
		assert(!session_half && !lists_half);
		c_session = session;
		c_lists = lists;
		c_gate = gate;
		forked = 1
	}
	run child();
#if FAULT != 2
	unlock(lists);
#endif
	unlock(session);
	signal_may_come();
	ended++
}

/* exit(): its handler is the library's last act. */
active proctype ender()
{
#if FAULT != 5
	lock(session);
#endif
	assert(!session_half);
	stop_it();
	over = 1;
#if FAULT != 5
	unlock(session);
#endif
	ended++
}

/* When all is over. */
active proctype judge()
{
	timeout;
	assert(ended == 5);	/* nobody waits for ever */
	assert(started == stopped && !runs);
	assert(recorded == flushed || started == 0);
	assert(forked)
}
