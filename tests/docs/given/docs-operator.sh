# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What docs/operator.md takes for granted: a folder where programs record.
mkdir result
