import { append, type FieldError, invalid, notSupported, required, tooLong } from '../../../machinery/field-error.ts'
import { isDNS1123Label, isDNS1123Subdomain } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { descending, noBacksteps, notReserved } from '../../rule/path.ts'
import { absent, countOf, listOf, numberOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { between, needed, obeysIfSet, oneOfIfSet } from '../../rule/value.ts'

/** Which volume a source is of, for the few rules that ask. */
export interface SourceContext {
  readonly volume: string
  /** The pod's name; '' in templates and for volumes of their own. */
  readonly pod: string
}
export type SourceRule = (source: JsonObject, path: string, context: SourceContext) => readonly FieldError[]

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]
const MAX_MODE = 0o777
const MODE_TEXT = 'must be a number between 0 and 0777 (octal), both inclusive'
const PARTITION_TEXT = 'must be between 1 and 255, inclusive'
const MANAGED_DISK = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'
const MAX_DRIVER = 63
const SCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([0-9A-Za-z\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[0-9A-Za-z]{16}$/,
  naa: /^naa.[0-9A-Za-z]{32}$/,
}

/** All of these texts must be there. */
const needs =
  (...fields: readonly string[]): SourceRule =>
  (source, path) =>
    fields.flatMap((field) => needed(source[field], `${path}.${field}`))

/** One rule after the other. */
const every =
  (...rules: readonly SourceRule[]): SourceRule =>
  (source, path, context) =>
    rules.flatMap((rule) => rule(source, path, context))

/** The permissions of files, as a number. */
export function validateMode(value: unknown, path: string): readonly FieldError[] {
  const mode = numberOf(value)
  return mode !== undefined && (mode < 0 || mode > MAX_MODE) ? [invalid(path, mode, MODE_TEXT)] : []
}

/** Which key becomes which file (core `validateKeyToPath`). */
export const validateItem = (item: JsonObject, path: string): readonly FieldError[] => [
  ...needed(item.key, `${path}.key`),
  ...needed(item.path, `${path}.path`),
  ...notReserved(textOf(item.path), `${path}.path`),
  ...validateMode(item.mode, `${path}.mode`),
]

const files = (name: string): SourceRule =>
  every(needs(name), (source, path) => [
    ...validateMode(source.defaultMode, `${path}.defaultMode`),
    ...objectsOf(source.items).flatMap((item, index) => validateItem(item, `${path}.items[${index}]`)),
  ])

const partition: SourceRule = (source, path) => {
  const number = countOf(source.partition)
  return number < 0 || number > 255 ? [invalid(`${path}.partition`, number, PARTITION_TEXT)] : []
}

/** A secret that is named must be named whole; with `namespace` for volumes of their own. */
const secretRef =
  (...fields: readonly string[]): SourceRule =>
  (source, path) =>
    absent(source.secretRef)
      ? []
      : fields.flatMap((field) => needed(objectOf(source.secretRef)[field], `${path}.secretRef.${field}`))

function scsiName(name: string, path: string, unknownPrefix: string): readonly FieldError[] {
  const pattern = SCSI_NAMES[name.slice(0, 3)]
  if (pattern === undefined) return [invalid(path, name, unknownPrefix)]
  return pattern.test(name) ? [] : [invalid(path, name, 'must be valid format')]
}

const SCSI_LENGTH =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'

/** iSCSI of pods and of volumes of their own; the words differ a little. */
const iscsi =
  (ofPod: boolean): SourceRule =>
  (source, path, { volume }) => {
    const unknownPrefix = ofPod ? 'must be valid format starting with iqn, eui, or naa' : 'must be valid format'
    const portal = textOf(source.targetPortal)
    const tooLongNames = !absent(source.initiatorName) && `${volume}:${portal}`.length > 64
    const errors: FieldError[] = [...needed(portal, `${path}.targetPortal`)]
    if (!ofPod && tooLongNames) errors.push(invalid(`${path}.targetportal`, portal, SCSI_LENGTH))
    const name = textOf(source.iqn)
    append(errors, name === '' ? [required(`${path}.iqn`)] : scsiName(name, `${path}.iqn`, unknownPrefix))
    append(errors, between(source.lun, 0, 255, `${path}.lun`))
    const secretNeeded = source.chapAuthDiscovery === true || source.chapAuthSession === true
    if (secretNeeded && absent(source.secretRef)) errors.push(required(`${path}.secretRef`))
    if (!ofPod) append(errors, secretRef('name')(source, path, { volume, pod: '' }))
    if (!absent(source.initiatorName))
      append(errors, scsiName(textOf(source.initiatorName), `${path}.initiatorname`, unknownPrefix))
    if (ofPod && tooLongNames) errors.push(invalid(`${path.slice(0, -'.iscsi'.length)}.name`, volume, SCSI_LENGTH))
    return errors
  }

const fibreChannel: SourceRule = (source, path) => {
  const errors: FieldError[] = []
  const [names, ids] = [listOf(source.targetWWNs), listOf(source.wwids)]
  const at = `${path}.targetWWNs`
  if (names.length === 0 && ids.length === 0)
    errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'))
  if (names.length > 0 && ids.length > 0)
    errors.push(invalid(at, names, 'targetWWNs and wwids can not be specified simultaneously'))
  if (names.length > 0 && absent(source.lun))
    errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'))
  else if (names.length > 0) append(errors, between(source.lun, 0, 255, `${path}.lun`))
  return errors
}

const quobyte: SourceRule = (source, path) => {
  const pairs = 'must be a host:port pair or multiple pairs separated by commas'
  const registry = textOf(source.registry)
  const errors: FieldError[] = []
  if (registry === '') errors.push(required(`${path}.registry`, pairs))
  else if (textOf(source.tenant).length >= 65)
    errors.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'))
  else
    for (const pair of registry.split(','))
      if (!/^(?:[^:[\]]*|\[[^[\]]*\]):[^:]*$/.test(pair)) errors.push(invalid(`${path}.registry`, registry, pairs))
  return [...errors, ...needed(source.volume, `${path}.volume`)]
}

const flocker: SourceRule = (source, path) => {
  const name = textOf(source.datasetName)
  const uuid = textOf(source.datasetUUID)
  const errors: FieldError[] = []
  if (name === '' && uuid === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'))
  if (name !== '' && uuid !== '')
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  if (name.includes('/')) errors.push(invalid(`${path}.datasetName`, name, "must not contain '/'"))
  return errors
}

const flexVolume: SourceRule = (source, path) => [
  ...needed(source.driver, `${path}.driver`),
  ...Object.keys(objectOf(source.options)).flatMap((key) =>
    /(?:^|\.)(?:kubernetes\.io|k8s\.io)$/.test((key.split('/')[0] ?? '').toLowerCase())
      ? [invalid(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved')]
      : [],
  ),
]

const azureDisk: SourceRule = (source, path) => {
  const uri = textOf(source.diskURI)
  const managed = source.kind === 'Managed'
  const errors: FieldError[] = [
    ...needed(source.diskName, `${path}.diskName`),
    ...needed(uri, `${path}.diskURI`),
    ...oneOfIfSet(source.cachingMode, ['None', 'ReadOnly', 'ReadWrite'], `${path}.cachingMode`),
    ...oneOfIfSet(source.kind, ['Dedicated', 'Managed', 'Shared'], `${path}.kind`),
  ]
  if (!absent(source.kind) && !uri.startsWith(managed ? '/subscriptions/' : 'https://'))
    errors.push(notSupported(`${path}.diskURI`, uri, [managed ? MANAGED_DISK : BLOB_DISK]))
  return errors
}

const storageOs = (...secretFields: readonly string[]): SourceRule =>
  every(
    (source, path) => [
      ...needed(source.volumeName, `${path}.volumeName`),
      ...obeysIfSet(source.volumeName, isDNS1123Label, `${path}.volumeName`),
      ...obeysIfSet(source.volumeNamespace, isDNS1123Label, `${path}.volumeNamespace`),
    ],
    secretRef(...secretFields),
  )

/** The name of a CSI driver (core `ValidateCSIDriverName`). */
export function validateDriverName(value: unknown, path: string): readonly FieldError[] {
  const name = textOf(value)
  return [
    ...needed(name, path),
    ...(name.length > MAX_DRIVER ? [tooLong(path, MAX_DRIVER)] : []),
    ...isDNS1123Subdomain(name.toLowerCase()).map((text) => invalid(path, name, text)),
  ]
}

const hostPath: SourceRule = (source, path) => {
  const text = textOf(source.path)
  if (text === '') return [required(`${path}.path`)]
  return [...noBacksteps(text, `${path}.path`), ...oneOfIfSet(source.type, HOST_PATH_TYPES, `${path}.type`)]
}
const gitRepo: SourceRule = (source, path) => [
  ...needed(source.repository, `${path}.repository`),
  ...descending(textOf(source.directory), `${path}.directory`),
]
const nfs: SourceRule = (source, path) => [
  ...needed(source.server, `${path}.server`),
  ...needed(source.path, `${path}.path`),
  ...(textOf(source.path).startsWith('/')
    ? []
    : [invalid(`${path}.path`, textOf(source.path), 'must be an absolute path')]),
]
const monitored: SourceRule = (source, path) =>
  listOf(source.monitors).length === 0 ? [required(`${path}.monitors`)] : []

/** The rules that follow from the source alone; where they differ, those of pods' volumes and of PersistentVolumes. */
export const RULES = {
  hostPath,
  gitRepo,
  nfs,
  gcePersistentDisk: every(needs('pdName'), partition),
  awsElasticBlockStore: every(needs('volumeID'), partition),
  secret: files('secretName'),
  configMap: files('name'),
  podIscsi: iscsi(true),
  persistentIscsi: iscsi(false),
  glusterfs: needs('endpoints', 'path'),
  flocker,
  persistentVolumeClaim: needs('claimName'),
  rbd: every(monitored, needs('image')),
  cephfs: monitored,
  podCinder: every(needs('volumeID'), secretRef('name')),
  persistentCinder: every(needs('volumeID'), secretRef('name', 'namespace')),
  quobyte,
  fibreChannel,
  flexVolume,
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk,
  podStorageOs: storageOs('name'),
  persistentStorageOs: storageOs('name', 'namespace'),
  scaleIO: needs('gateway', 'system', 'volumeName'),
} as const satisfies Readonly<Record<string, SourceRule>>
