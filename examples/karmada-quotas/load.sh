#!/bin/sh
# Creates many ResourceBindings at once in a namespace with a KarmadaQuota, and prints how many the quota allowed.
# Usage: load.sh NAMESPACE QUOTA [BINDINGS [AT ONCE]]. Each binding stands for one pod that requests 100m of cpu.
set -eu
namespace=$1
quota=$2
bindings=${3:-100}
parallel=${4:-10}
answers=$(mktemp)
trap 'rm -f "$answers"' EXIT

seq "$bindings" | xargs -P "$parallel" -I{} sh -c '
  kubectl -n "$1" create -f - >/dev/null 2>"$3.{}" <<MANIFEST && echo allowed || { grep -q "exceeded quota" "$3.{}" && echo refused || cat "$3.{}"; }
apiVersion: work.karmada.io/v1alpha2
kind: ResourceBinding
metadata: {name: load-{}, namespace: $1}
spec:
  resource: {apiVersion: apps/v1, kind: Deployment, name: load-{}}
  replicaRequirements: {resourceRequest: {cpu: 100m}}
  clusters: [{name: cluster1, replicas: 1}]
MANIFEST
  rm -f "$3.{}"
' load "$namespace" "$quota" "$answers" >"$answers"

sort "$answers" | uniq -c | sed 's/^ *//'
kubectl -n "$namespace" get karmadaquota "$quota" -o jsonpath='used: {.status.used}{"\n"}'
