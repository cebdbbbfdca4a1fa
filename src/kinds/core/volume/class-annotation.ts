/** Named the StorageClass of a claim or volume before `storageClassName` did (core/v1 `BetaStorageClassAnnotation`). */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
