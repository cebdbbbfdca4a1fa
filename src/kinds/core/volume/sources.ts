import type { PersistentVolumeSpec, Volume } from '../../../builtin/core-v1.ts'
import { type FieldError, forbidden, required } from '../../../machinery/field-error.ts'
import { local, persistentAzureFile, persistentCsi, persistentGlusterfs } from './persistent-source-rules.ts'
import { emptyDir, ephemeral, image, podCsi } from './pod-source-rules.ts'
import { validateDownwardFiles, validateProjected } from './projected-volume.ts'
import { absent, objectOf } from '../../../machinery/read.ts'
import { RULES, type SourceContext, type SourceRule } from './source-rules.ts'

/** The rules of one source of a volume. */
interface Source {
  readonly rule: SourceRule
  /** The rule for a PersistentVolume, if that is another. */
  readonly persistent?: SourceRule
  /** Its name in the paths of errors, if not that of its field. */
  readonly path?: string
  /** Its name in the error about several sources, if not that of its field. */
  readonly surplus?: string
}

/** Every source that a volume can have. */
const SOURCES = {
  awsElasticBlockStore: { rule: RULES.awsElasticBlockStore },
  azureDisk: { rule: RULES.azureDisk },
  azureFile: { rule: RULES.azureFile, persistent: persistentAzureFile },
  cephfs: { rule: RULES.cephfs, surplus: 'cephFS' },
  cinder: { rule: RULES.podCinder, persistent: RULES.persistentCinder },
  configMap: { rule: RULES.configMap },
  csi: { rule: podCsi, persistent: persistentCsi },
  downwardAPI: { rule: validateDownwardFiles, surplus: 'downwarAPI' },
  emptyDir: { rule: emptyDir },
  ephemeral: { rule: ephemeral },
  fc: { rule: RULES.fibreChannel },
  flexVolume: { rule: RULES.flexVolume },
  flocker: { rule: RULES.flocker },
  gcePersistentDisk: { rule: RULES.gcePersistentDisk, path: 'persistentDisk' },
  gitRepo: { rule: RULES.gitRepo },
  glusterfs: { rule: RULES.glusterfs, persistent: persistentGlusterfs },
  hostPath: { rule: RULES.hostPath },
  image: { rule: image },
  iscsi: { rule: RULES.podIscsi, persistent: RULES.persistentIscsi },
  local: { rule: local },
  nfs: { rule: RULES.nfs },
  persistentVolumeClaim: { rule: RULES.persistentVolumeClaim },
  photonPersistentDisk: { rule: RULES.photonPersistentDisk },
  portworxVolume: { rule: RULES.portworxVolume },
  projected: { rule: validateProjected },
  quobyte: { rule: RULES.quobyte },
  rbd: { rule: RULES.rbd },
  scaleIO: { rule: RULES.scaleIO },
  secret: { rule: RULES.secret },
  storageos: { rule: RULES.podStorageOs, persistent: RULES.persistentStorageOs },
  vsphereVolume: { rule: RULES.vsphereVolume },
} as const satisfies Readonly<Record<string, Source>>

/** The sources that each kind of volume can have, in the order in which upstream checks them and reports errors. */
export const SOURCE_ORDER = {
  pod: [
    'emptyDir',
    'hostPath',
    'gitRepo',
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'secret',
    'nfs',
    'iscsi',
    'glusterfs',
    'flocker',
    'persistentVolumeClaim',
    'rbd',
    'cinder',
    'cephfs',
    'quobyte',
    'downwardAPI',
    'fc',
    'flexVolume',
    'configMap',
    'azureFile',
    'vsphereVolume',
    'photonPersistentDisk',
    'portworxVolume',
    'azureDisk',
    'storageos',
    'projected',
    'scaleIO',
    'csi',
    'ephemeral',
    'image',
  ],
  persistent: [
    'hostPath',
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'glusterfs',
    'flocker',
    'nfs',
    'rbd',
    'quobyte',
    'cephfs',
    'iscsi',
    'cinder',
    'fc',
    'flexVolume',
    'azureFile',
    'vsphereVolume',
    'photonPersistentDisk',
    'portworxVolume',
    'azureDisk',
    'scaleIO',
    'local',
    'storageos',
    'csi',
  ],
} as const satisfies Readonly<Record<string, readonly (keyof typeof SOURCES)[]>>

/** Exactly one source of those that the kind of volume can have, and what that one asks for. */
export function validateSource(
  kind: keyof typeof SOURCE_ORDER,
  holder: Volume & PersistentVolumeSpec,
  path: string,
  context: SourceContext,
): readonly FieldError[] {
  const [first, ...others] = SOURCE_ORDER[kind].filter((field) => !absent(holder[field]))
  if (first === undefined) return [required(path, 'must specify a volume type')]
  const source: Source = SOURCES[first]
  const rule = (kind === 'persistent' ? source.persistent : undefined) ?? source.rule
  return [
    ...rule(objectOf(holder[first]), `${path}.${source.path ?? first}`, context),
    ...others.map((field) => {
      const { surplus = field }: Source = SOURCES[field]
      return forbidden(`${path}.${surplus}`, 'may not specify more than 1 volume type')
    }),
  ]
}
