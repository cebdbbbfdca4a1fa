import { inPath, type KnownDifference } from './occurrence.ts'

const isManifest = inPath(/\?dryRun=All$/)

/** Fields that 1.20 does not know, or keeps only where a gate is open. */
const NEW_FIELDS =
  'minReadySeconds|ordinals|lifecycle|preStop|sleep|grpc|restartPolicy|matchLabelKeys|ephemeral|volumeAttributesClassName|podFailurePolicy|ttlSecondsAfterFinished|resizePolicy|supplementalGroupsPolicy|endPort|dataSource'

/** Of the manifests that are written for 1.36. */
export const MANIFESTS: readonly KnownDifference[] = [
  {
    pattern: new RegExp(
      String.raw`^(?:spec|metadata\.managedFields\[0\]\.fieldsV1)\.(?:\S+\.)?(?:f:)?(?:${NEW_FIELDS})(?:\.\.)?: real nothing, allot `,
    ),
    when: isManifest,
    reason: 'fields that there were not yet',
    since: '1.21',
  },
  {
    pattern:
      /^metadata\.managedFields\[0\]\.fieldsV1\.f:(?:secrets\.k:\{[^}]*\}\.f:name|spec\.f:dataSource\.\S+|\S*\.f:volumeClaimTemplate\.f:metadata): real \{.*\}, allot nothing$/,
    when: isManifest,
    reason: 'references have one owner as a whole, and nobody owns a time that is not there',
    since: '1.21',
  },
]
