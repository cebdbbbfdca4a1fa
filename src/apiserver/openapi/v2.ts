import type { JsonObject } from '../../machinery/object.ts'
import type { GroupVersion } from '../../machinery/group-version.ts'
import { type ApiOperation, type ApiPath, tagOf } from './api-path.ts'
import { PHRASES } from './v3.ts'
import type { Parameter } from './parameter.ts'
import { refTo } from './type-name.ts'

/** The paths of one group version as OpenAPI v2 has them. */
export function swaggerPaths(served: GroupVersion, paths: readonly ApiPath[]): Readonly<Record<string, JsonObject>> {
  const tags = [tagOf(served)]
  return Object.fromEntries(
    paths.map(({ path, parameters, operations }) => [
      path,
      {
        ...Object.fromEntries(operations.map((operation) => [operation.method, operationV2(operation, tags)])),
        parameters: parameters.map(parameterV2),
      },
    ]),
  )
}

/** The frame of the OpenAPI v2 document, without paths and definitions. */
export const swaggerFrame = (version: string): JsonObject => ({ swagger: '2.0', info: { title: 'allot', version } })

function operationV2(operation: ApiOperation, tags: readonly string[]): JsonObject {
  const { id, action, kind, parameters, body, result, watchable, codes } = operation
  const schema = result === undefined ? { type: 'string' } : refTo(result)
  const json = watchable ? ['application/json', 'application/json;stream=watch'] : ['application/json']
  return {
    tags,
    operationId: id,
    consumes: body?.mediaTypes ?? ['*/*'],
    produces: result === undefined ? ['text/plain'] : json,
    schemes: ['https'],
    parameters: [
      ...(body === undefined
        ? []
        : [{ name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema: refTo(body.type) }]),
      ...parameters.map(parameterV2),
    ],
    responses: {
      ...Object.fromEntries(codes.map((code) => [code, { description: PHRASES[code], schema }])),
      401: { description: PHRASES[401] },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  }
}

const parameterV2 = ({ name, in: place, type }: Parameter): JsonObject => ({
  name,
  in: place,
  type,
  uniqueItems: true,
  ...(place === 'path' ? { required: true } : {}),
})
