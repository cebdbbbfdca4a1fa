import { randomUUID } from 'node:crypto'
import type { LimitedResource } from '../../systems/resource-quota/api/configuration.ts'
import type * as apiserver from '../../apiserver/control-plane.ts'
import type { StartWorkloads } from '../../apiserver/port/workload-port.ts'
import { giveBackIdleMemory } from '../../runtime/process/idle-memory.ts'
import type { Store } from '../../store/store.ts'
import { readSchema } from '../schema-file.ts'
import type { ApiPort } from './api-port.ts'
import type { UpContext } from './context.ts'

/** The code that is loaded while the store is opened. */
export interface LoadedServer {
  readonly apiserver: typeof apiserver
  readonly startWorkloads: StartWorkloads | undefined
}

/** Starts the control plane over the store, behind the port of the API. */
export async function startControlPlane(
  { options: { firstRefusalOnly, warnAt }, logger, metrics, clockSteps, closing }: UpContext,
  { apiserver: { ControlPlane }, startWorkloads }: LoadedServer,
  { store, port, limitedResources }: StoredBehind,
  stop: AbortSignal,
): Promise<apiserver.ControlPlane> {
  const plane = await ControlPlane.start({
    store,
    data: readSchemas(),
    adminToken: port.first.adminToken,
    tokenKey: port.first.tokenKey,
    caCertificate: port.first.authority.certificate,
    logger,
    metrics,
    serverContext: { now: Date.now, uuid: randomUUID, random: Math.random },
    clockSteps,
    serverAddress: new URL(port.url).host,
    firstRefusalOnly,
    workloads: startWorkloads,
    limitedResources,
    warnAt,
    stop,
  })
  port.publishAuthority(plane)
  closing.defer(giveBackIdleMemory())
  closing.defer(() => plane.stop())
  metrics.collectProcess()
  return plane
}

/** The parts that the control plane stands between, and its configuration. */
export interface StoredBehind {
  readonly store: Store
  readonly port: ApiPort
  readonly limitedResources: readonly LimitedResource[]
}

function readSchemas() {
  return {
    definitions: readSchema('kubernetes-1.36-definitions'),
    resources: readSchema('kubernetes-1.36-resources'),
    openapiMessages: readSchema('openapi-v2-protobuf'),
    protobuf: readSchema('kubernetes-1.36-protobuf'),
  }
}
