import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { GroupVersion } from '../../machinery/group-version.ts'
import { servedAt } from '../resource/served-resource.ts'
import { type ApiOperation, type ApiPath, groupWords, tagOf } from './api-path.ts'
import type { OpenApiDefinitions } from './custom-definition.ts'
import type { Parameter } from './parameter.ts'
import { API_RESOURCE_LIST, DEFINITIONS } from './type-name.ts'

const SCHEMAS = '#/components/schemas/'
const JSON_TYPE = 'application/json'

// Types that take two JSON types: OpenAPI v2 has no words for that, v3 has.
const UNIONS: OpenApiDefinitions = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    format: 'int-or-string',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
}

/** The OpenAPI v3 document of one group version; `definitions` are those that its paths reach, as text. */
export function openApiV3(
  served: GroupVersion,
  paths: readonly ApiPath[],
  definitions: Readonly<Record<string, string>>,
  version: string,
): string {
  const tags = [tagOf(served)]
  const entries = paths.map(({ path, parameters, operations }): [string, JsonObject] => [
    path,
    {
      ...Object.fromEntries(operations.map((operation) => [operation.method, operationV3(operation, tags)])),
      parameters: parameters.map(parameterV3),
    },
  ])
  const names: JsonObject = {
    get: {
      tags,
      operationId: `get${groupWords(served.group)}${served.version.toUpperCase()}APIResources`,
      responses: answers([200], { [JSON_TYPE]: { schema: { $ref: SCHEMAS + API_RESOURCE_LIST } } }),
    },
  }
  const frame = {
    openapi: '3.0.0',
    info: { title: 'allot', version },
    paths: Object.fromEntries([[`/${servedAt(served)}/`, names], ...entries]),
  }
  return `${JSON.stringify(frame).slice(0, -1)},"components":{"schemas":${joinMembers(Object.entries(definitions))}}}`
}

/** One definition as documents of v3 have it. */
export const definitionV3 = (name: string, definition: JsonObject): JsonObject =>
  schemaV3({ ...definition, ...UNIONS[name] }, name in UNIONS)

/** A JSON object of members that are texts already. */
export const joinMembers = (members: readonly (readonly [name: string, text: string])[]): string =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`

/**
 * The index of OpenAPI v3 documents.
 *
 * @param hashes content hash of each document, by its path below `/openapi/v3/` (`apis/apps/v1`)
 */
export function openApiV3Index(hashes: Readonly<Record<string, string>>): JsonObject {
  return {
    paths: Object.fromEntries(
      Object.entries(hashes).map(([path, hash]) => [path, { serverRelativeURL: openApiV3Url(path, hash) }]),
    ),
  }
}

/** Where the document of a path below `/openapi/v3/` is found as long as its content hash is this one. */
export const openApiV3Url = (path: string, hash: string): string => `/openapi/v3/${path}?hash=${hash}`

function operationV3(operation: ApiOperation, tags: readonly string[]): JsonObject {
  const { id, action, kind, parameters, body, result, watchable, codes } = operation
  const types =
    result === undefined ? ['text/plain'] : watchable ? [JSON_TYPE, `${JSON_TYPE};stream=watch`] : [JSON_TYPE]
  const schema = result === undefined ? { type: 'string' } : { $ref: SCHEMAS + result }
  return {
    tags,
    operationId: id,
    ...(parameters.length > 0 ? { parameters: parameters.map(parameterV3) } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            ...(body.required ? { required: true } : {}),
            content: Object.fromEntries(
              body.mediaTypes.map((type) => [type, { schema: { $ref: SCHEMAS + body.type } }]),
            ),
          },
        }),
    responses: answers(codes, Object.fromEntries(types.map((type) => [type, { schema }]))),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  }
}

/** The phrases of the status codes that operations document. */
export const PHRASES: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
}

function answers(codes: readonly number[], content: JsonObject): JsonObject {
  return {
    ...Object.fromEntries(codes.map((code) => [code, { description: PHRASES[code], content }])),
    401: { description: PHRASES[401] },
  }
}

const parameterV3 = ({ name, in: place, type }: Parameter): JsonObject => ({
  name,
  in: place,
  ...(place === 'path' ? { required: true } : {}),
  schema: { type, uniqueItems: true },
})

/** Points references at the components; a reference with neighbours must be wrapped, since v3 ignores those. */
function schemaV3(schema: JsonObject, isUnion = false): JsonObject {
  const { $ref, ...rest } = schema
  const target =
    typeof $ref === 'string' && $ref.startsWith(DEFINITIONS) ? SCHEMAS + $ref.slice(DEFINITIONS.length) : undefined
  if (target !== undefined)
    return Object.keys(rest).length === 0 ? { $ref: target } : { allOf: [{ $ref: target }], ...rest }
  const { properties, items, additionalProperties, type, ...others } = schema
  return {
    ...others,
    ...(type === undefined || isUnion ? {} : { type }),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, child]) => [name, isObject(child) ? schemaV3(child) : child]),
          ),
        }
      : {}),
    ...(isObject(items) ? { items: schemaV3(items) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties: isObject(additionalProperties) ? schemaV3(additionalProperties) : additionalProperties,
        }),
  }
}
