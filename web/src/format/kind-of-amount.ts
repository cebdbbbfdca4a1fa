/** What a limit counts: it decides the unit in which people read it. */
export type AmountKind = 'cores' | 'bytes' | 'number'

const CORES = /(?:^|\.)cpu$/
const BYTES = /(?:^|[./])(?:memory|storage|ephemeral-storage|hugepages-[^/]*)$/

/** By the name of the resource, such as `requests.cpu` or `fast.storageclass.storage.k8s.io/requests.storage`. */
export function kindOfAmount(resource: string): AmountKind {
  if (CORES.test(resource)) return 'cores'
  return BYTES.test(resource) ? 'bytes' : 'number'
}
