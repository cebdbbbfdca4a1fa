import type { PersistentVolumeClaim } from '../../builtin/core-v1.ts'
import { absent, objectOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import type { Evaluator } from '../evaluator.ts'
import { ONE } from './object-count.ts'
import { claimExamples } from './scope-examples.ts'
import { CLAIM_SCOPES, claimScopeFacts } from './scopes.ts'
import { CLASS_ANNOTATION } from '../../kinds/core/volume/class-annotation.ts'

const OF_CLASS = '.storageclass.storage.k8s.io/'
const NAMES: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'count/persistentvolumeclaims',
  'requests.storage',
])

/** PersistentVolumeClaims: their number and the storage they ask for, also per storage class (docs/concepts/charging.md). */
export const persistentVolumeClaimEvaluator: Evaluator = {
  group: '',
  resource: 'persistentvolumeclaims',
  // The status carries what has been allocated and which classes are in use, so writing it may cost something.
  handles: ({ operation, subresource }) =>
    operation === 'UPDATE'
      ? subresource === '' || subresource === 'status'
      : operation === 'CREATE' && subresource === '',
  names: [...NAMES, `*${OF_CLASS}requests.storage`, `*${OF_CLASS}persistentvolumeclaims`],
  counts: (name) =>
    NAMES.has(name) ||
    name.endsWith(`${OF_CLASS}requests.storage`) ||
    name.endsWith(`${OF_CLASS}persistentvolumeclaims`),
  scopes: CLAIM_SCOPES,
  scopeExamples: claimExamples,
  scopeFacts: claimScopeFacts,
  usage: claimUsage,
}

function claimUsage(claim: PersistentVolumeClaim): ResourceList {
  const className = storageClass(claim)
  const storage = requestedStorage(claim)
  return {
    persistentvolumeclaims: ONE,
    'count/persistentvolumeclaims': ONE,
    ...(className === '' ? {} : { [`${className}${OF_CLASS}persistentvolumeclaims`]: ONE }),
    ...(storage === undefined ? {} : { 'requests.storage': storage }),
    ...(storage === undefined || className === '' ? {} : { [`${className}${OF_CLASS}requests.storage`]: storage }),
  }
}

/** The annotation decides where it is present, even when it is empty. */
function storageClass(claim: PersistentVolumeClaim): string {
  return claim.metadata.annotations?.[CLASS_ANNOTATION] ?? textOf(specOf(claim).storageClassName)
}

/** Whole bytes; while a volume shrinks back from a failed expansion, what is still allocated counts. */
function requestedStorage(claim: PersistentVolumeClaim): Quantity | undefined {
  const { storage: wanted } = objectOf(objectOf(specOf(claim).resources).requests)
  if (absent(wanted)) return undefined
  const request = Quantity.fromJson(wanted)
  const { storage: allocated } = objectOf(statusOf(claim).allocatedResources)
  const held = absent(allocated) ? request : Quantity.fromJson(allocated)
  return (held.cmp(request) > 0 ? held : request).roundUp(0)
}
