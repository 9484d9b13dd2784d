#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# As tests/compat/serve.sh, and with clients that take their time.
exec sh "$(dirname "$0")/../compat/serve.sh" slow
