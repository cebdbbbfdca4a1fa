import { INCREASES_MANAGED_BY_LABEL } from '../../quota-increase/api/increase-names.ts'
import { MANAGED_BY_LABEL } from '../../resource-pool/api/pool-names.ts'
import type { AdmissionRequest } from '../../../runtime/admission/admission-request.ts'

/** The resources of the core group by which allot limits a namespace. */
const LIMITING: ReadonlySet<string> = new Set(['resourcequotas', 'limitranges'])
/** Labels that allot gives each of them that it keeps. */
const KEPT_LABELS = [MANAGED_BY_LABEL, INCREASES_MANAGED_BY_LABEL]

/**
 * Reports whether allot itself writes a ResourceQuota or LimitRange that it keeps. No custom quota may refuse that: a tenant could keep
 * the limits of the platform out of a namespace. `own`: the user that allot is; undefined while it is not known.
 */
export function isGeneratedWrite(
  { userInfo, resource, object, oldObject }: Pick<AdmissionRequest, 'userInfo' | 'resource' | 'object' | 'oldObject'>,
  own: string | undefined,
): boolean {
  if (userInfo.username !== own || resource.group !== '' || !LIMITING.has(resource.resource)) return false
  return [object, oldObject].some((one) =>
    KEPT_LABELS.some((label) => Object.hasOwn(one?.metadata.labels ?? {}, label)),
  )
}
