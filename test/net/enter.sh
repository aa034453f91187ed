#!/usr/bin/env bash
# usage: enter.sh NAMESPACE COMMAND: replaces ssh for hosts that are network namespaces.
exec ip netns exec "$1" sh -c "$2"
