import { qualified } from '../../machinery/status.ts'
import { listOf, objectOf } from '../../machinery/read.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { CUSTOM_QUOTA_WEBHOOK, GLOBAL_QUOTA_WEBHOOK } from '../../systems/custom-quota/api/webhook-names.ts'
import { withApiVersion } from '../../systems/custom-quota/decide/source-kind.ts'
import { validateCustomQuota } from '../../systems/custom-quota/decide/validate-quota.ts'
import type { SystemRules } from './admission.ts'
import { schemaRules } from './custom-kind.ts'
import { readCustomQuota } from './custom-quota-tally.ts'
import { CUSTOM_QUOTAS } from './custom-quotas.ts'
import { refuse } from './pool-rules.ts'

const WEBHOOKS: Readonly<Record<string, string>> = {
  [customQuota.kind]: CUSTOM_QUOTA_WEBHOOK,
  [globalCustomQuota.kind]: GLOBAL_QUOTA_WEBHOOK,
}

/** What the webhooks of custom quotas do. Whether somebody may read what a quota counts is not asked. */
export function customQuotaRules(): ReadonlyMap<string, SystemRules> {
  return new Map(
    CUSTOM_QUOTAS.map((kind): readonly [string, SystemRules] => {
      const schema = schemaRules(kind)
      return [
        qualified(kind),
        {
          complete: (object) => withSources(schema.withDefaults(object)),
          check: (object, old) => {
            schema.check(object, old)
            const [quota, former] = [readCustomQuota(object), old && readCustomQuota(old)]
            const problems = validateCustomQuota(quota, former, { strictPaths: false })
            refuse(WEBHOOKS[kind.kind] ?? '', problems.length === 0 ? undefined : problems.join('; '))
          },
        },
      ]
    }),
  )
}

/** Sources that name their kind by group and version are stored with an apiVersion. */
function withSources(object: KubeObject): KubeObject {
  const spec = objectOf(object['spec'])
  const { sources } = readCustomQuota(object).spec
  // The schema refuses others.
  if (sources.length !== listOf(spec['sources']).length) return object
  return { ...object, spec: { ...spec, sources: sources.map(withApiVersion) } }
}
