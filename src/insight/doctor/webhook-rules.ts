import type { JsonObject } from '../../machinery/object.ts'
import { textsOf } from '../../machinery/read.ts'
import type { GroupResource } from '../../machinery/status.ts'

const ANY = '*'
/** A request that stores nothing, such as `kubectl exec`. */
const CONNECT = 'CONNECT'

/** May rules of a webhook have it asked about writes of any of these resources, or of their subresources? */
export const asksAbout = (rules: readonly JsonObject[], resources: readonly GroupResource[]): boolean =>
  rules.some((rule) => {
    const groups = textsOf(rule['apiGroups'])
    const names = textsOf(rule['resources']).map((name) => name.split('/')[0])
    return (
      textsOf(rule['operations']).some((operation) => operation !== CONNECT) &&
      resources.some(
        ({ group, resource }) =>
          (groups.includes(ANY) || groups.includes(group)) && (names.includes(ANY) || names.includes(resource)),
      )
    )
  })
