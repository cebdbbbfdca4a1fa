import type {
  CSIDriver,
  CSIDriverSpec,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../../builtin/storage-v1.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../builtin/core-v1.ts'
import { absent, listOf, objectOf, objectsOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import { column, type Column, integer, wide } from './column.ts'
import { ageColumn, nameColumn, orNone, UNSET } from './shared-columns.ts'
import { CLASS_ANNOTATION } from '../../kinds/core/volume/class-annotation.ts'

const SHORT_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]
const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

/** Access modes in short, always in the same order. */
const accessModes = (modes: unknown): string =>
  SHORT_MODES.filter(([mode]) => textsOf(modes).includes(mode))
    .map(([, short]) => short)
    .join(',')

const phase = (object: PersistentVolumeClaim | PersistentVolume): string =>
  object.metadata.deletionTimestamp === undefined ? textOf(statusOf(object).phase) : 'Terminating'

const className = (object: PersistentVolumeClaim | PersistentVolume): string =>
  object.metadata.annotations?.[CLASS_ANNOTATION] ?? textOf(specOf(object).storageClassName)

const orUnset = (value: unknown): string => (absent(value) ? UNSET : textOf(value))

const attributesClass = column(
  'VolumeAttributesClass',
  'The class of changeable attributes.',
  (object: PersistentVolumeClaim | PersistentVolume) => orUnset(specOf(object).volumeAttributesClassName),
)
const classColumn = column('StorageClass', 'The class that volumes are made with.', className)
const volumeMode = wide(
  'VolumeMode',
  'A file system or a raw block device.',
  (object: PersistentVolumeClaim | PersistentVolume) => orUnset(specOf(object).volumeMode),
)

const isBound = (claim: PersistentVolumeClaim): boolean => textOf(specOf(claim).volumeName) !== ''

export const claimColumns: readonly Column[] = [
  nameColumn,
  column('Status', 'Whether the claim has a volume.', phase),
  column('Volume', 'The volume that it has.', (object: PersistentVolumeClaim) => textOf(specOf(object).volumeName)),
  column('Capacity', 'The size of the volume.', (object: PersistentVolumeClaim) =>
    isBound(object) ? textOf(objectOf(statusOf(object).capacity).storage) || '0' : '',
  ),
  column('Access Modes', 'How the volume can be mounted.', (object: PersistentVolumeClaim) =>
    isBound(object) ? accessModes(statusOf(object).accessModes) : '',
  ),
  classColumn,
  attributesClass,
  ageColumn,
  volumeMode,
]

export const volumeColumns: readonly Column[] = [
  nameColumn,
  column(
    'Capacity',
    'The size of the volume.',
    (object: PersistentVolume) => textOf(objectOf(specOf(object).capacity).storage) || '0',
  ),
  column('Access Modes', 'How the volume can be mounted.', (object: PersistentVolume) =>
    accessModes(specOf(object).accessModes),
  ),
  column('Reclaim Policy', 'What happens to the volume after its release.', (object: PersistentVolume) =>
    textOf(specOf(object).persistentVolumeReclaimPolicy),
  ),
  column('Status', 'Whether a claim has it.', phase),
  column('Claim', 'The claim that has it.', (object: PersistentVolume) => {
    const claim = objectOf(specOf(object).claimRef)
    return textOf(claim.name) === '' ? '' : `${textOf(claim.namespace)}/${textOf(claim.name)}`
  }),
  classColumn,
  attributesClass,
  column('Reason', 'Why it is in its status.', (object: PersistentVolume) => textOf(statusOf(object).reason)),
  ageColumn,
  volumeMode,
]

export const storageClassColumns: readonly Column[] = [
  column(
    'Name',
    'Name of the class, and whether it is the default.',
    (object: StorageClass) => {
      const isDefault = DEFAULT_ANNOTATIONS.some((key) => object.metadata.annotations?.[key] === 'true')
      return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`
    },
    { format: 'name' },
  ),
  column('Provisioner', 'The provisioner of the volumes.', (object: StorageClass) => textOf(object.provisioner)),
  column(
    'ReclaimPolicy',
    'What becomes of volumes that are released.',
    (object: StorageClass) => textOf(object.reclaimPolicy) || 'Delete',
  ),
  column(
    'VolumeBindingMode',
    'When volumes are made.',
    (object: StorageClass) => textOf(object.volumeBindingMode) || 'Immediate',
  ),
  column(
    'AllowVolumeExpansion',
    'Whether volumes may grow.',
    (object: StorageClass) => object.allowVolumeExpansion === true,
  ),
  ageColumn,
]

export const volumeAttributesClassColumns: readonly Column[] = [
  nameColumn,
  column('DriverName', 'The driver that the attributes belong to.', (object: VolumeAttributesClass) =>
    textOf(object.driverName),
  ),
  ageColumn,
]

export const volumeAttachmentColumns: readonly Column[] = [
  nameColumn,
  column('Attacher', 'The driver that attaches the volume.', (object: VolumeAttachment) =>
    textOf(specOf(object).attacher),
  ),
  column('PV', 'The volume.', (object: VolumeAttachment) =>
    textOf(objectOf(specOf(object).source).persistentVolumeName),
  ),
  column('Node', 'The node that it is attached to.', (object: VolumeAttachment) => textOf(specOf(object).nodeName)),
  column('Attached', 'Whether it is attached.', (object: VolumeAttachment) => statusOf(object).attached === true, {
    type: 'boolean',
  }),
  ageColumn,
]

const flag = (name: string, description: string, field: keyof CSIDriverSpec): Column =>
  column(name, description, (object: CSIDriver) => specOf(object)[field] === true, { type: 'boolean' })

export const csiDriverColumns: readonly Column[] = [
  nameColumn,
  column(
    'AttachRequired',
    'Whether volumes must be attached first.',
    (object: CSIDriver) => specOf(object).attachRequired !== false,
    {
      type: 'boolean',
    },
  ),
  flag('PodInfoOnMount', 'Whether it wants to know the pod.', 'podInfoOnMount'),
  flag('StorageCapacity', 'Whether it says how much room there is.', 'storageCapacity'),
  column('TokenRequests', 'Audiences of the tokens that it wants.', (object: CSIDriver) => {
    const audiences = objectsOf(specOf(object).tokenRequests).map((request) => textOf(request.audience))
    return audiences.length === 0 ? UNSET : audiences.join(',')
  }),
  flag('RequiresRepublish', 'Whether it wants to be called again and again.', 'requiresRepublish'),
  column('Modes', 'Lifecycles of volumes that it knows.', (object: CSIDriver) =>
    orNone(textsOf(specOf(object).volumeLifecycleModes).join(',')),
  ),
  ageColumn,
]

export const csiNodeColumns: readonly Column[] = [
  nameColumn,
  integer('Drivers', 'How many drivers the node has.', (object: CSINode) => listOf(specOf(object).drivers).length),
  ageColumn,
]

export const csiStorageCapacityColumns: readonly Column[] = [
  nameColumn,
  column('StorageClassName', 'The class that it is about.', (object: CSIStorageCapacity) =>
    textOf(object.storageClassName),
  ),
  column('Capacity', 'How much room there is.', (object: CSIStorageCapacity) => textOf(object.capacity) || UNSET),
]
