/** What a limit counts: it decides the unit in which people read it. */
export type AmountKind = 'cores' | 'bytes' | 'number'

const CORES = /(?:^|\.)cpu$/
const BYTES = /(?:^|[./])(?:memory|storage|ephemeral-storage|hugepages-[^/]*)$/
/** Only bytes are written in powers of two. */
const BINARY = /[KMGTPE]i$/

/** By the name of the resource, such as `requests.cpu` or `fast.storageclass.storage.k8s.io/requests.storage`; else by how the limit is written, as `10Gi`. */
export function kindOfAmount(resource: string, hard = ''): AmountKind {
  if (CORES.test(resource)) return 'cores'
  return BYTES.test(resource) || BINARY.test(hard) ? 'bytes' : 'number'
}
