#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a guest with simulated NPUs: ascprof serve tells what the module counts now, and of the
# sessions in FOLDER. Scraped as Prometheus does it, over HTTP.
#   serve.sh FOLDER
set -eu
address=127.0.0.1:9797
ifconfig lo 127.0.0.1
ascprof serve --listen $address "$1" &
serve=$!
trap 'kill $serve 2>/dev/null || true' EXIT

# until_page CONDITION...: scrapes into ./page until that holds of it
until_page()
{
	tries=0
	until wget -q -O page http://$address/metrics && "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || { echo "not in 300 scrapes: $*"; cat page; exit 1; }
		sleep 0.1
	done
}

counted()
{
	awk '/^ascprof_device_events_total\{/ { all += $NF } END { printf "%.0f", all }' "${1:-page}"
}
live()
{
	grep -q '^ascprof_module_up 1$' page && [ "$(counted)" -gt 0 ]
}
grown()
{
	[ "$(counted)" -gt "$(counted before)" ]
}

until_page live
for device in 0 1; do
	grep -q "^ascprof_device_events_total{device=\"$device\",source=\"sim$device\".*,simulated=\"yes\"} " page
done
grep -q '^ascprof_module_lost_samples_total 0$' page
grep -q '^ascprof_sessions{state="ended"} [1-9]' page
[ "$(tail -n 1 page)" = "# EOF" ]
mv page before
until_page grown
kill $serve
wait $serve # its status is 0
echo "# $(counted before) events, then $(counted)"
