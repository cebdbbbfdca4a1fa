import type { CSINode, CSIStorageCapacity, VolumeAttachment } from '../../builtin/storage-v1.ts'
import { append, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { isDNS1123Subdomain, isQualifiedName } from '../../machinery/names.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { absent, objectOf, objectsOf, specOf, textOf, textsOf } from '../../machinery/read.ts'
import { needed, obeys } from '../rule/value.ts'

const LONGEST_NODE_ID = 256

/** The errors in a VolumeAttachment (storage `ValidateVolumeAttachment`). */
export function validateAttachment(object: VolumeAttachment): readonly FieldError[] {
  const { attacher, nodeName, source } = specOf(object)
  const { persistentVolumeName, inlineVolumeSpec } = objectOf(source)
  const path = 'spec.source'
  const errors: FieldError[] = [...needed(attacher, 'spec.attacher')]
  const isOne = absent(persistentVolumeName) !== absent(inlineVolumeSpec)
  if (!isOne) errors.push(required(path, 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'))
  else if (persistentVolumeName === '')
    errors.push(required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName'))
  return [...errors, ...obeys(textOf(nodeName), isDNS1123Subdomain, 'spec.nodeName')]
}

/** An attachment is of one volume to one node for good. */
export const validateAttachmentUpdate = (object: VolumeAttachment, old: VolumeAttachment): readonly FieldError[] => [
  ...validateAttachment(object),
  ...(semanticallyEqual(object.spec, old.spec) ? [] : [invalid('spec', specOf(object), 'field is immutable')]),
]

/** The errors in a CSINode (storage `ValidateCSINode`). */
export function validateCSINode(object: CSINode): readonly FieldError[] {
  const names = new Set<string>()
  return objectsOf(specOf(object).drivers).flatMap((driver, index) => {
    const path = `spec.drivers[${index}]`
    const [name, id] = [textOf(driver.name), textOf(driver.nodeID)]
    const errors: FieldError[] = [
      ...(name === '' ? [required(`${path}.name`)] : obeys(name.toLowerCase(), isDNS1123Subdomain, `${path}.name`)),
      ...needed(id, `${path}.nodeID`),
    ]
    if (id.length > LONGEST_NODE_ID)
      errors.push(invalid(`${path}.nodeID`, id, `must be ${LONGEST_NODE_ID} characters or less`))
    if (names.has(name)) errors.push({ code: 'FieldValueDuplicate', path: `${path}.name`, value: name, detail: '' })
    names.add(name)
    for (const key of textsOf(driver.topologyKeys)) append(errors, obeys(key, isQualifiedName, `${path}.topologyKeys`))
    return errors
  })
}

/** The errors in a CSIStorageCapacity (storage `ValidateCSIStorageCapacity`). */
export const validateStorageCapacity = (object: CSIStorageCapacity): readonly FieldError[] =>
  obeys(textOf(object.storageClassName), isDNS1123Subdomain, 'storageClassName')
