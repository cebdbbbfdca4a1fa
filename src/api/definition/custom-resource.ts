import type { ConditionTable } from '../condition-table.ts'
import { formatMark } from '../kept-format.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { object } from './object-schema.ts'
import { text } from './scalar-type.ts'
import { defaulted, optional, type Schema } from './schema.ts'

/** The format of the CRDs of all kinds: one more with each release that changes one of them. An operator leaves later ones as they are. */
export const CRD_FORMAT = 1

/** A column of `kubectl get`, after the name that every kind has. */
export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly description: string
  readonly jsonPath: string
  /** Shown only in wide tables where it is more than 0; left out: 0. */
  readonly priority?: number
}

/** The declaration of a kind: one version, served and stored, with the status subresource where it has a status. */
export interface KindDeclaration<Group extends string, Version extends string, Kind extends string, Spec, Status> {
  readonly group: Group
  readonly version: Version
  readonly kind: Kind
  readonly plural: string
  readonly shortNames?: readonly string[]
  readonly namespaced: boolean
  readonly description: string
  readonly columns: readonly PrinterColumn[]
  readonly spec: Schema<Spec>
  /** The conditions that its status may have; left out: none. */
  readonly conditions?: ConditionTable
  /** API servers accept an object without a spec; it is read as a blank one. */
  readonly optionalSpec?: true
  /** Left out: the kind has no status. */
  readonly status?: Schema<Status>
  /**
   * The status of an object that no controller has seen. With an `observedGeneration` before the first those who wait for it (kstatus) do not
   * take the object for done. Left out: it has none, as with the CRD of others.
   */
  readonly unseenStatus?: JsonObject
}

/** An object of one of our kinds, as `read` makes it: with all defaults. */
export interface CustomObject<ApiVersion extends string, Kind extends string, Spec, Status> extends KubeObject {
  readonly apiVersion: ApiVersion
  readonly kind: Kind
  readonly spec: Spec
  readonly status?: Status
}

/** One of our kinds. It has what clients need to name the resource in URLs (`ResourceKind` in `src/kube`). */
export interface CustomResource<T extends KubeObject> {
  readonly group: string
  readonly version: string
  readonly apiVersion: T['apiVersion']
  /** The plural, as in URLs. */
  readonly resource: string
  readonly kind: T['kind']
  readonly namespaced: boolean
  /** The CustomResourceDefinition (apiextensions.k8s.io/v1), as API servers from 1.20 take it. */
  readonly crd: JsonObject
  /** The conditions that the status of an object may have. */
  readonly conditions: ConditionTable
  /**
   * Takes an object of the kind from an API server: its defaults are filled in, what is required and missing is blank,
   * fields unknown here stay. Whatever needs no change is shared with the object that was given.
   */
  readonly read: (object: KubeObject) => T
}

/** The type of the objects of a kind. */
export type ObjectOf<Resource> = Resource extends CustomResource<infer T> ? T : never

/** Defines a kind. */
export function customResource<
  const Group extends string,
  const Version extends string,
  const Kind extends string,
  Spec,
  Status = undefined,
>(
  declaration: KindDeclaration<Group, Version, Kind, Spec, Status>,
): CustomResource<CustomObject<`${Group}/${Version}`, Kind, Spec, Status>> {
  const { group, version, kind, plural, namespaced, spec, status, conditions = {} } = declaration
  const apiVersion = `${group}/${version}` as const
  return {
    group,
    version,
    apiVersion,
    resource: plural,
    kind,
    namespaced,
    crd: definitionOf(declaration),
    conditions,
    read: (given) => {
      const { metadata, spec: givenSpec, status: givenStatus, ...rest } = given
      const head = { ...rest, apiVersion, kind, metadata, spec: spec.read(givenSpec) ?? spec.blank }
      const readStatus = status?.read(givenStatus)
      return readStatus === undefined ? head : { ...head, status: readStatus }
    },
  }
}

const metadataSchema: Schema<unknown> = { openapi: { type: 'object' }, blank: {}, read: (value) => value }

function definitionOf<Group extends string, Version extends string, Kind extends string, Spec, Status>(
  declaration: KindDeclaration<Group, Version, Kind, Spec, Status>,
): JsonObject {
  const { group, version, kind, plural, shortNames, namespaced, description, columns, spec, optionalSpec } = declaration
  const { status, unseenStatus } = declaration
  const root = object(description, {
    apiVersion: optional(text('The group and the version that the object is written in.')),
    kind: optional(text('The kind of the object.')),
    metadata: optional(metadataSchema),
    spec: optionalSpec === true ? optional(spec) : spec,
    ...(status === undefined ? {} : { status: unseenStatus ? defaulted(status, unseenStatus) : optional(status) }),
  })
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: formatMark(CRD_FORMAT) },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
          schema: { openAPIV3Schema: root.openapi },
          subresources: status === undefined ? {} : { status: {} },
        },
      ],
    },
  }
}
