import type { JsonObject } from '../../../machinery/object.ts'
import type { Caller } from '../../../machinery/caller.ts'

/** `authentication.k8s.io/v1 UserInfo` of a caller. */
export const userInfo = ({ name, uid, groups, extra }: Caller): JsonObject => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
})
