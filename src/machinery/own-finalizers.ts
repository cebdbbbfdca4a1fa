/**
 * Every finalizer that the control plane puts on objects by itself. Each has a controller that takes it off again: nothing
 * that is deleted stays for ever because of one (`test/api/deletion/finalizers.test.ts` sweeps over this table).
 */
export const OWN_FINALIZERS = {
  /** Keeps a namespace until its contents are gone; in its spec. Taken off by the namespace controller. */
  namespace: 'kubernetes',
  /** Keeps a deleted object until its dependents have lost their references to it. Taken off by the garbage collector. */
  orphan: 'orphan',
  /** Keeps a deleted object until the dependents that block its deletion are gone. Taken off by the garbage collector. */
  foreground: 'foregroundDeletion',
  /** Keeps a deleted CRD until its objects are gone. Taken off by the CRD controller. */
  crd: 'customresourcecleanup.apiextensions.k8s.io',
  /** Keeps a claim while a pod mounts it. Taken off by the storage protection. */
  claim: 'kubernetes.io/pvc-protection',
  /** Keeps a volume while it is bound. Taken off by the storage protection. */
  volume: 'kubernetes.io/pv-protection',
  /** Keeps a VolumeAttributesClass while a claim or a volume has it. Taken off by the storage protection. */
  attributesClass: 'kubernetes.io/vac-protection',
  /** Keeps a finished pod until its Job has counted it. Taken off by the Job controller and the watch over orphaned pods. */
  jobPod: 'batch.kubernetes.io/job-tracking',
} as const
