/* SPDX-License-Identifier: Apache-2.0 */
#include "session/commands.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_RUNTIME 7u
#define MODULE_GE 45u
#define MODULE_ASCENDCL 48u
#define NO_MODEL 0xffffffffu
#define MODEL_LOAD 0x8000000000000000u
#define QUEUE 64u

struct callback {
	uint32_t module;
	ProfCommandHandle handle;
};

struct command {
	enum MsprofCommandHandleType type;
	uint64_t bits, devices;
	ProfCommandHandle only; /* NULL: for all */
};

/*
 * Commands are told in the order in which they were given. Whoever finds nobody
 * telling tells all there are; others wait until theirs has been told.
 */
static struct commands {
	pthread_mutex_t lock;
	pthread_cond_t told;
	struct callback *callback; /* by module */
	unsigned int nr;
	struct command queue[QUEUE];
	uint64_t given, done; /* commands */
	bool telling;
	pthread_t teller;
	struct command now; /* what a newcomer missed; its type is ..._MAX when nothing */
} commands = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.told = PTHREAD_COND_INITIALIZER,
	.now.type = PROF_COMMANDHANDLE_TYPE_MAX,
};

static void fill(struct MsprofCommandHandle *to, const struct command *c)
{
	memset(to, 0, sizeof(*to));
	to->type = (uint32_t)c->type;
	if (c->type != PROF_COMMANDHANDLE_TYPE_START && c->type != PROF_COMMANDHANDLE_TYPE_STOP)
		return;
	to->profSwitch = c->bits | MODEL_LOAD;
	to->modelId = NO_MODEL;
	for (uint32_t id = 0; id < MSPROF_MAX_DEV_NUM; id++)
		if (c->devices & 1ULL << id)
			to->devIdList[to->devNums++] = id;
}

/* A start is told from the bottom up, an end from the top down; other modules come last. */
static unsigned int rank_of(uint32_t module, enum MsprofCommandHandleType type)
{
	static const uint32_t order[] = { MODULE_RUNTIME, MODULE_ASCENDCL, MODULE_GE };
	bool end = type == PROF_COMMANDHANDLE_TYPE_STOP || type == PROF_COMMANDHANDLE_TYPE_FINALIZE;

	for (unsigned int i = 0; i < 3; i++)
		if (order[i] == module)
			return end ? 2 - i : i;
	return 3;
}

static void tell_one(const struct callback *to, const struct command *c)
{
	struct MsprofCommandHandle handle; /* the callback's own: it may write to it */

	if (c->only && c->only != to->handle)
		return;
	fill(&handle, c);
	to->handle(PROF_CTRL_SWITCH, &handle, sizeof(handle));
}

/* Under lock, which is let go while callbacks run: those that are there when it begins. */
static void tell(const struct command *c)
{
	unsigned int nr = commands.nr;
	struct callback *copy = nr ? malloc(nr * sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, commands.callback, nr * sizeof(*copy));
	pthread_mutex_unlock(&commands.lock);
	for (unsigned int rank = 0; rank <= 3; rank++)
		for (unsigned int i = 0; copy && i < nr; i++)
			if (rank_of(copy[i].module, c->type) == rank)
				tell_one(&copy[i], c);
	free(copy);
	pthread_mutex_lock(&commands.lock);
}

static void tell_all(void)
{
	commands.telling = true;
	commands.teller = pthread_self();
	while (commands.done != commands.given) {
		struct command c = commands.queue[commands.done % QUEUE];

		tell(&c);
		commands.done++;
		pthread_cond_broadcast(&commands.told);
	}
	commands.telling = false;
}

/* Under lock. What finds no room is not told: only a callback that gives commands without end can come to that. */
static void give(const struct command *c)
{
	if (commands.given - commands.done < QUEUE)
		commands.queue[commands.given++ % QUEUE] = *c;
}

/* Under lock: what a callback that comes now has missed. */
static void catch_up(ProfCommandHandle handle)
{
	struct command c = commands.now;

	if (c.type == PROF_COMMANDHANDLE_TYPE_MAX)
		return;
	c.only = handle;
	if (c.type == PROF_COMMANDHANDLE_TYPE_START) {
		c.type = PROF_COMMANDHANDLE_TYPE_INIT;
		give(&c);
		c.type = PROF_COMMANDHANDLE_TYPE_START;
	}
	give(&c);
}

/* Its library may be unloaded; what we call must stay. */
static void pin(ProfCommandHandle handle)
{
	Dl_info where;

	if (dladdr((void *)handle, &where) && where.dli_fname)
		dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Under lock. Return: false without memory. */
static bool add(uint32_t module, ProfCommandHandle handle)
{
	struct callback *more = realloc(commands.callback, (commands.nr + 1) * sizeof(*more));
	unsigned int at = commands.nr;

	if (!more)
		return false;
	while (at && more[at - 1].module > module)
		at--;
	memmove(&more[at + 1], &more[at], (commands.nr - at) * sizeof(*more));
	more[at] = (struct callback){ module, handle };
	commands.callback = more;
	commands.nr++;
	return true;
}

bool commands_register(uint32_t module, ProfCommandHandle handle)
{
	bool done = true;
	unsigned int i;

	pin(handle);
	pthread_mutex_lock(&commands.lock);
	for (i = 0; i < commands.nr; i++)
		if (commands.callback[i].module == module && commands.callback[i].handle == handle)
			break;
	if (i == commands.nr) {
		done = add(module, handle);
		if (done)
			catch_up(handle);
	}
	pthread_mutex_unlock(&commands.lock);
	commands_tell();
	return done;
}

/* What a callback that comes later has to know. */
static void remember(const struct command *c)
{
	struct command *now = &commands.now;

	switch (c->type) {
	case PROF_COMMANDHANDLE_TYPE_START:
		now->devices = (now->type == c->type ? now->devices : 0) | c->devices;
		now->bits = c->bits;
		now->type = c->type;
		break;
	case PROF_COMMANDHANDLE_TYPE_STOP:
		now->devices &= ~c->devices;
		if (!now->devices)
			now->type = PROF_COMMANDHANDLE_TYPE_INIT;
		break;
	case PROF_COMMANDHANDLE_TYPE_FINALIZE:
		now->type = PROF_COMMANDHANDLE_TYPE_MAX;
		break;
	default:
		break;
	}
}

void commands_give(enum MsprofCommandHandleType type, uint64_t bits, uint64_t devices)
{
	struct command c = { .type = type, .bits = bits, .devices = devices };

	pthread_mutex_lock(&commands.lock);
	remember(&c);
	give(&c);
	pthread_mutex_unlock(&commands.lock);
}

void commands_tell(void)
{
	uint64_t until;

	pthread_mutex_lock(&commands.lock);
	until = commands.given;
	if (!commands.telling)
		tell_all();
	while (commands.done < until && !pthread_equal(commands.teller, pthread_self()))
		pthread_cond_wait(&commands.told, &commands.lock);
	pthread_mutex_unlock(&commands.lock);
}

void commands_fork_lock(void)
{
	pthread_mutex_lock(&commands.lock);
}

void commands_fork_unlock(void)
{
	pthread_mutex_unlock(&commands.lock);
}

/* Commands on their way are the parent's, and so are those who wait for them. */
void commands_child(void)
{
	pthread_cond_init(&commands.told, NULL);
	commands.done = commands.given;
	commands.telling = false;
	commands.now.type = PROF_COMMANDHANDLE_TYPE_MAX;
}
