import { type QuantityLedger, quantityLedger } from '../../counted/api/quantity-ledger.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { type AdmissionDecision, allowed, denied, retryLater } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { CLUSTER_COLLECTORS, isByNone } from '../../../operator/cluster/collectors.ts'
import type { AnsweredHook } from '../../../operator/shell/registered-webhooks.ts'
import { type HookCondition, notByOperator } from '../../../operator/webhook/configuration.ts'
import { RETRY_SECONDS } from '../../counted/protocol/ledger-errors.ts'

/** Users that delete objects without owners, or objects of a namespace that ends. */
const COLLECTORS: ReadonlySet<string> = new Set(CLUSTER_COLLECTORS)

/**
 * The webhooks that keep ledgers from everybody but the operator. Collectors may delete ledgers and take owners away, so that
 * quotas and namespaces can go; everybody may delete one that belongs to no quota any more. `ownName`: as the API server knows the
 * operator; undefined while it is not known.
 */
export function ledgerGuardHooks(
  ownName: () => string | undefined,
  isAbandoned: (ledger: QuantityLedger, signal: AbortSignal) => Promise<boolean>,
): readonly AnsweredHook[] {
  const { group, resource } = quantityLedger
  const handle = async (request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionDecision> => {
    const decision = guardLedger(request, ownName())
    const { operation, oldObject } = request
    if (decision.verdict !== 'denied' || operation !== 'DELETE' || oldObject === undefined) return decision
    return (await isAbandoned(quantityLedger.read(oldObject), signal)) ? allowed() : decision
  }
  const on = (what: string, ...operations: ('CREATE' | 'UPDATE' | 'DELETE')[]): Pick<AnsweredHook, 'rules'> => ({
    rules: [{ groups: [group], resources: [what], operations }],
  })
  const own = ownName()
  return [
    {
      phase: 'validating',
      name: 'quantityledgers.validating.allot.dev',
      path: '/quantityledgers/validating',
      ...on(resource, 'CREATE', 'UPDATE', 'DELETE'),
      conditions: [NOT_COLLECTED],
      withoutConditions: [
        on(resource, 'CREATE', 'UPDATE'),
        {
          // A ledger that went while nobody answered is made again, and namespaces must be able to go.
          name: 'quantityledgers-deletion.validating.allot.dev',
          path: '/quantityledgers/deletion/validating',
          ...on(resource, 'DELETE'),
          failurePolicy: 'Ignore',
        },
      ],
      handle,
    },
    ...(own === undefined
      ? []
      : [
          {
            phase: 'validating' as const,
            name: 'quantityledgers-status.validating.allot.dev',
            path: '/quantityledgers/status/validating',
            ...on(`${resource}/status`, 'UPDATE'),
            // The operator writes a status for each batch of requests. Without conditions the webhook would be asked each time.
            conditions: notByOperator(own),
            handle,
          },
        ]),
  ]
}

const NOT_COLLECTED: HookCondition = {
  name: 'nobody-who-collects',
  expression: `request.operation == 'CREATE' || ${isByNone(CLUSTER_COLLECTORS)}`,
}

/** Decides who may write a ledger: the operator; collectors may delete it and change what says nothing about a quota. */
export function guardLedger(request: AdmissionRequest, own: string | undefined): AdmissionDecision {
  const { operation, userInfo, name, object, oldObject } = request
  if (userInfo.username === own) return allowed()
  if (COLLECTORS.has(userInfo.username)) {
    if (operation === 'DELETE') return allowed()
    if (operation === 'UPDATE' && saysTheSame(object, oldObject)) return allowed()
  }
  // A finalizer that keeps a deleted ledger would keep a new quota of the name closed.
  if (operation === 'UPDATE' && losesFinalizersOnly(object, oldObject)) return allowed()
  // A replica learns the name before it is ready. Until then it cannot distinguish its writes from those of others.
  if (own === undefined) return retryLater('this replica of allot has only just started', RETRY_SECONDS)
  const verb = operation === 'DELETE' ? 'deleted' : operation === 'CREATE' ? 'created' : 'changed'
  return denied(
    `the QuantityLedger ${JSON.stringify(name)} is kept by allot and cannot be ${verb}; change or delete its quota instead`,
  )
}

/** Is a ledger that is being deleted left as it is but for finalizers that go? Then it can only be gone sooner. */
function losesFinalizersOnly(object: KubeObject | undefined, old: KubeObject | undefined): boolean {
  if (object === undefined || old?.metadata.deletionTimestamp === undefined || !saysTheSame(object, old)) return false
  const kept = new Set(old.metadata.finalizers)
  return object.metadata.finalizers?.every((one) => kept.has(one)) !== false && jsonEqual(marks(object), marks(old))
}

const marks = ({ metadata: { labels, ownerReferences } }: KubeObject): object => ({
  labels: labels ?? {},
  ownerReferences: ownerReferences ?? [],
})

const saysTheSame = (object: KubeObject | undefined, old: KubeObject | undefined): boolean =>
  jsonEqual(object?.['spec'] ?? {}, old?.['spec'] ?? {}) && jsonEqual(object?.['status'] ?? {}, old?.['status'] ?? {})
