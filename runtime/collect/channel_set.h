/* SPDX-License-Identifier: Apache-2.0 */
/* How channels are configured, for the table of them. Each: see configure() of struct channel_def. */
#ifndef ASCPROF_CHANNEL_SET_H
#define ASCPROF_CHANNEL_SET_H

#include "collect/channels.h"

#define CHANNEL_TASKS (ACL_PROF_TASK_TIME_L0 | ACL_PROF_TASK_TIME) /* bits that ask for the logs of tasks */

uint32_t channel_set_read_write(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_llc(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_app_mem(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_npu_mem(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_qos(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_io(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_links(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_dvpp(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_low_power(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_soc_profile(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_aicore(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_ffts(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_tsfw(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_hwts(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_soc_log(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_l2_cache(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_soc_pmu(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);
uint32_t channel_set_nothing(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data);

#endif /* ASCPROF_CHANNEL_SET_H */
