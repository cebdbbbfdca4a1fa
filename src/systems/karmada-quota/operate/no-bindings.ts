import { RESOURCE_BINDINGS } from '../api/names.ts'

const { group, version, kind } = RESOURCE_BINDINGS

/** Says of a KarmadaQuota that there is nothing that it could count. */
export const NO_BINDINGS = `limits nothing now: the API server serves no ${kind} of ${group}/${version}, which Karmada brings`
