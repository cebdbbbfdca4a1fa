import { all, at, type Change, each, fill, set, when } from '../../rule/change.ts'
import { pullPolicyOf } from '../container/image-name.ts'
import { absent, blank, textOf } from '../../../machinery/read.ts'
import { roundedResources } from '../../rule/rounded-amounts.ts'

/** Octal 0644: the mode of files that come from Secrets, ConfigMaps and the downward API. */
const FILE_MODE = 0o644

const fieldRef: Change = all(at('fieldRef', fill({ apiVersion: 'v1' })), at('resourceFieldRef', fill({ divisor: '0' })))
const files: Change = fill({ defaultMode: FILE_MODE })

const claimSpec: Change = all(
  (spec) => (absent(spec.volumeMode) ? set(spec, 'volumeMode', 'Filesystem') : spec),
  roundedResources,
)

const byType: readonly Change[] = [
  at('secret', files),
  at('configMap', files),
  at('downwardAPI', all(files, each('items', fieldRef))),
  at(
    'projected',
    all(
      files,
      each(
        'sources',
        all(at('serviceAccountToken', fill({ expirationSeconds: 3600 })), at('downwardAPI', each('items', fieldRef))),
      ),
    ),
  ),
  at('hostPath', (source) => (absent(source.type) ? set(source, 'type', '') : source)),
  at('ephemeral', at('volumeClaimTemplate', at('spec', claimSpec))),
  at(
    'image',
    when(
      (source) => blank(source.pullPolicy),
      (source) => set(source, 'pullPolicy', pullPolicyOf(textOf(source.reference))),
    ),
  ),
  at('iscsi', fill({ iscsiInterface: 'default' })),
  at('rbd', fill({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' })),
  at('azureDisk', fill({ cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false })),
  at('scaleIO', fill({ storageMode: 'ThinProvisioned', fsType: 'xfs' })),
]
const typeDefaults = all(...byType)

/** A volume without a source is an emptyDir; sources get the defaults of their type (core/v1 `SetDefaults_*VolumeSource`). */
export const volumeDefaults: Change = (volume) => {
  for (const key in volume) if (key !== 'name' && !absent(volume[key])) return typeDefaults(volume)
  return set(volume, 'emptyDir', {})
}

/** The defaults of a PersistentVolume's source, which has the types of a volume and a few of its own. */
export const persistentVolumeSourceDefaults: Change = typeDefaults

/** The defaults of the spec of a claim, also in templates. */
export const claimSpecDefaults: Change = claimSpec
