import type { OperatorPorts } from '../../operator/operator.ts'
import { packageVersion } from '../package-version.ts'

/** Exactly three lines: what runs where, how to reach it, what to try. */
export function announcement(url: string, kubeconfig: string, state: string, ports: OperatorPorts | undefined): string {
  const file = /^[\w./@%+=:,-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", `'\\''`)}'`
  const operator =
    ports === undefined
      ? ''
      : `, webhooks on port ${ports.webhookPort}, /metrics on ${ports.metricsPort}, /readyz on ${ports.healthPort}`
  return `allot ${packageVersion()} is running: Kubernetes 1.36 API on ${url}, state ${state}${operator}
export KUBECONFIG=${file}
kubectl create namespace demo && kubectl -n demo create quota small --hard=pods=2 && kubectl -n demo describe quota
`
}
