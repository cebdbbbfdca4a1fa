import { customQuota } from '../api/custom-quota.ts'
import { globalCustomQuota } from '../api/global-custom-quota.ts'
import { CUSTOM_QUOTA_WEBHOOK, GLOBAL_QUOTA_WEBHOOK } from '../api/webhook-names.ts'
import type { QuotaCompileOptions } from '../decide/compile-quota.ts'
import { withApiVersion, sourceKind } from '../decide/source-kind.ts'
import { contradictorySelectors } from '../decide/contradictory-selectors.ts'
import { validateCustomQuota } from '../decide/validate-quota.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { isObject, type KubeObject } from '../../../machinery/object.ts'
import type { CustomResource } from '../../../api/definition/custom-resource.ts'
import { type AdmissionDecision, allowed, denied, patched } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { AnsweredHook } from '../../../operator/shell/registered-webhooks.ts'
import { pathWarnings } from './source-schemas.ts'
import { type SourceAccessOptions, sourceAccessProblem } from './source-access.ts'
import { loweredLimit, type LoweredLimit } from './admission/lowered-limit.ts'
import type { AnyQuota } from './tracking/tracked-quota.ts'
import { outsideNamespacesText } from '../decide/counts-nothing.ts'
import type { ServedKinds } from '../../../operator/shell/served-kinds.ts'

export interface QuotaHooksOptions extends SourceAccessOptions {
  readonly client: Pick<KubeClient, 'request' | 'list'>
  readonly compile: QuotaCompileOptions
  /** The most CustomQuotas of a namespace. */
  readonly quotasPerNamespace: number
  /** Has the limit of a quota hold from now on that an update brings; undefined where quotas refuse nothing. */
  readonly lower: ((change: LoweredLimit, withinMs: number) => Promise<AdmissionDecision>) | undefined
  /** The name that the API server knows the operator by; undefined while it is not known. */
  readonly ownName: () => string | undefined
}

/** The webhooks of the quotas themselves; those that validate have the names and paths of Capsule 0.14. */
export function quotaHooks(options: QuotaHooksOptions): readonly AnsweredHook[] {
  const kinds = [
    { resource: customQuota, name: CUSTOM_QUOTA_WEBHOOK, path: '/custom-quotas/namespaced/validating' },
    { resource: globalCustomQuota, name: GLOBAL_QUOTA_WEBHOOK, path: '/custom-quotas/cluster/validating' },
  ] as const
  return [
    {
      phase: 'mutating',
      name: 'custom-quotas.mutating.allot.dev',
      path: '/custom-quotas/mutating',
      rules: kinds.map(({ resource: { group, resource } }) => ({
        groups: [group],
        resources: [resource],
        operations: ['CREATE', 'UPDATE'],
      })),
      handle: async ({ object }) => (object === undefined ? allowed() : convertSources(object)),
    },
    ...kinds.map(({ resource, name, path }): AnsweredHook => ({
      phase: 'validating',
      name,
      path,
      rules: [{ groups: [resource.group], resources: [resource.resource], operations: ['CREATE', 'UPDATE'] }],
      handle: async (request, signal, withinMs) => {
        const { refusal, lowered, warnings = [] } = await validate(request, resource, options, signal)
        if (refusal !== undefined) return denied(refusal)
        const lowering = lowered === undefined || request.dryRun ? undefined : await options.lower?.(lowered, withinMs)
        return lowering === undefined || lowering.verdict === 'allowed' ? allowed(warnings) : lowering
      },
    })),
  ]
}

/** Sources that name their kind by group and version are stored with an apiVersion, as other programs read them. */
function convertSources(object: KubeObject): AdmissionDecision {
  const spec = isObject(object['spec']) ? object['spec'] : {}
  const sources = Array.isArray(spec['sources']) ? spec['sources'].filter(isObject) : []
  const read = customQuota.read({ ...object, spec: { ...spec, sources } }).spec.sources
  return patched(
    sources.flatMap((_, index) => {
      const source = read[index]
      const wanted = source === undefined ? undefined : withApiVersion(source)
      if (wanted === source || wanted === undefined) return []
      const path = `/spec/sources/${index}`
      return [
        { op: 'add' as const, path: `${path}/apiVersion`, value: wanted.apiVersion },
        ...['group', 'version'].flatMap((field) =>
          source !== undefined && field in source ? [{ op: 'remove' as const, path: `${path}/${field}` }] : [],
        ),
      ]
    }),
  )
}

interface Validated {
  /** Why the quota is refused. */
  readonly refusal?: string | undefined
  readonly lowered?: LoweredLimit | undefined
  readonly warnings?: readonly string[]
}

async function validate(
  { object, oldObject, operation, userInfo, namespace }: AdmissionRequest,
  resource: CustomResource<AnyQuota>,
  options: QuotaHooksOptions,
  signal: AbortSignal,
): Promise<Validated> {
  if (object === undefined) return {}
  const quota = resource.read(object)
  const old = oldObject === undefined ? undefined : resource.read(oldObject)
  const problems = validateCustomQuota(quota, old, options.compile)
  if (problems.length > 0) return { refusal: problems.join('; ') }
  const crowded = operation === 'CREATE' && resource.namespaced ? await crowd(namespace, options, signal) : undefined
  if (crowded !== undefined) return { refusal: crowded }
  const lowered = old === undefined ? undefined : loweredLimit(quota, old)
  if (old !== undefined && countsTheSame(quota, old)) return { lowered }
  const warnings = [
    ...contradictorySelectors(quota.spec),
    ...(await sourceWarnings(options, quota.spec, signal)),
    ...(await pathWarnings(options, quota.spec.sources, signal)),
  ]
  // The operator only gives back what somebody else was allowed to write.
  if (userInfo.username === options.ownName()) return { lowered, warnings }
  const refusal = await sourceAccessProblem(options, userInfo, namespace, quota.spec.sources, signal)
  return { refusal, lowered, warnings }
}

/** Every write in a namespace is compared with each of its quotas. */
async function crowd(
  namespace: string,
  { client, quotasPerNamespace }: QuotaHooksOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { items } = await client.list(customQuota, { namespace, signal })
  if (items.length < quotasPerNamespace) return undefined
  return `the namespace ${JSON.stringify(namespace)} must have at most ${quotasPerNamespace} CustomQuotas (--custom-quotas-per-namespace)`
}

/** Do both count the same objects by the same fields? */
const countsTheSame = ({ spec }: AnyQuota, old: AnyQuota): boolean =>
  jsonEqual({ ...spec, limit: '', options: {} }, { ...old.spec, limit: '', options: {} })

/** Why sources of a valid quota count less than their author may expect. Rejects as `KubeClient` does. */
async function sourceWarnings(
  { served }: { readonly served: Pick<ServedKinds, 'find'> },
  spec: AnyQuota['spec'],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const selectsNamespaces = 'namespaceSelectors' in spec && (spec.namespaceSelectors ?? []).length > 0
  const warnings: string[] = []
  for (const [index, source] of spec.sources.entries()) {
    if (selectsNamespaces && (await served.find(sourceKind(source), { signal }))?.namespaced === false)
      warnings.push(outsideNamespacesText(source, index))
  }
  return warnings
}
