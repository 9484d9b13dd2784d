#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example of a subscription prints what it executed, in that order.
set -eu
top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
out=$("${BUILD:-$top/build}/examples/subscribe")
step='model 1 Conv2D layer1/conv us
model 1 Relu layer1/relu us
model 1 MatMul head/dense us'
expected="$step
$step
$step"
seen=$(echo "$out" | awk '$5 !~ /^[0-9]+$/ { print "bad time: " $0; next } { $5 = ""; gsub(/ +/, " "); print }')
[ "$seen" = "$expected" ] || { echo "$out"; exit 1; }
