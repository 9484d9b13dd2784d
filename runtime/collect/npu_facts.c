/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver tells of a device. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/npu.h"
#include "log/log.h"

#define SAMPLE_MS_MIN 1u
#define SAMPLE_MS_MAX 1000u
#define SAMPLE_MS_USUAL 10u

static uint32_t fact(const struct npu *n, enum hal_module module, enum hal_fact which, uint32_t otherwise)
{
	int64_t value = hal_fact(n->hal, n->id, module, which, otherwise);

	return value < 0 || value > UINT32_MAX ? otherwise : (uint32_t)value;
}

/* Names of the streams that bandwidth monitors can watch. */
static void read_qos(const struct npu *n, struct npu_facts *f)
{
	unsigned int most = f->chip->family == CHIP_950 ? 8 : HAL_QOS_STREAMS;
	struct hal_qos list = { .device = n->id }, one;
	int32_t size = sizeof(list);
	size_t used = 0;

	if (!n->hal->device_info_buffer ||
	    n->hal->device_info_buffer(n->id, HAL_MODULE_QOS, HAL_FACT_CONFIG, &list, &size) ||
	    list.nr > HAL_QOS_STREAMS)
		return;
	for (unsigned int i = 0; i < list.nr && f->nr_mpam < most; i++) {
		one = (struct hal_qos){ .device = n->id, .mode = 1, .mpam = { list.mpam[i] } };
		size = sizeof(one);
		if (n->hal->device_info_buffer(n->id, HAL_MODULE_QOS, HAL_FACT_CONFIG, &one, &size))
			continue;
		one.name[sizeof(one.name) - 1] = '\0';
		if (used + strlen(one.name) + 2 > sizeof(f->qos_names))
			return;
		used += (size_t)snprintf(f->qos_names + used, sizeof(f->qos_names) - used, "%s%s", used ? "," : "",
					 one.name);
		f->mpam[f->nr_mpam++] = list.mpam[i];
	}
}

/* ASCPROF_AICORE=sample or sample:<ms>; by task otherwise, as the interface has it. */
static unsigned int sample_ms(void)
{
	const char *way = secure_getenv("ASCPROF_AICORE");
	unsigned long ms;
	char *end;

	if (!way || !*way || !strcmp(way, "task"))
		return 0;
	if (!strcmp(way, "sample"))
		return SAMPLE_MS_USUAL;
	if (!strncmp(way, "sample:", 7)) {
		errno = 0;
		ms = strtoul(way + 7, &end, 10);
		if (end != way + 7 && !*end && !errno && ms >= SAMPLE_MS_MIN && ms <= SAMPLE_MS_MAX)
			return (unsigned int)ms;
	}
	log_line(LOG_WARN, "ASCPROF_AICORE is \"%s\", expected task, sample, or sample:<1 to %u ms>: taken as task",
		 way, SAMPLE_MS_MAX);
	return 0;
}

bool npu_read_facts(struct npu *n, char *note, size_t note_size)
{
	struct npu_facts *f = &n->facts;
	int64_t version = hal_fact(n->hal, n->id, HAL_MODULE_SYSTEM, HAL_FACT_VERSION, -1);

	if (version < 0) {
		snprintf(note, note_size, "the driver does not tell which chip it is");
		return false;
	}
	f->chip = chip_of((unsigned int)(version >> 8 & 0xff));
	if (!f->chip) {
		snprintf(note, note_size, "a chip that is not known: %u", (unsigned int)(version >> 8 & 0xff));
		return false;
	}
	f->counter_khz = fact(n, HAL_MODULE_SYSTEM, HAL_FACT_COUNTER_KHZ, 0);
	if (!f->counter_khz)
		f->counter_khz = f->chip->counter_khz;
	f->core_mhz = fact(n, HAL_MODULE_AICORE, HAL_FACT_HZ, 0);
	if (!f->core_mhz)
		f->core_mhz = f->chip->core_mhz;
	f->env = fact(n, HAL_MODULE_SYSTEM, HAL_FACT_ENV, 3);
	f->ctrl_cpu_id = fact(n, HAL_MODULE_CTRL_CPU, HAL_FACT_ID, 0);
	f->ctrl_cpus = fact(n, HAL_MODULE_CTRL_CPU, HAL_FACT_CORES, 0);
	f->ctrl_little_endian = fact(n, HAL_MODULE_CTRL_CPU, HAL_FACT_ENDIAN, 1);
	f->ts_cpus = fact(n, HAL_MODULE_TSCPU, HAL_FACT_CORES, 0);
	f->ai_cpus = fact(n, HAL_MODULE_AICPU, HAL_FACT_CORES, 0);
	f->ai_cpu_id = fact(n, HAL_MODULE_AICPU, HAL_FACT_ID, 0);
	f->ai_cpu_bits = fact(n, HAL_MODULE_AICPU, HAL_FACT_OCCUPY, 0);
	f->cores = fact(n, HAL_MODULE_AICORE, HAL_FACT_CORES, 0);
	f->core_id = fact(n, HAL_MODULE_AICORE, HAL_FACT_ID, 0);
	f->vector_cores = fact(n, HAL_MODULE_VECTOR, HAL_FACT_CORES, 0);
	f->sample_ms = sample_ms();
	read_qos(n, f);
	return true;
}
