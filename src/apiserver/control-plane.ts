import type { LimitedResource } from '../systems/resource-quota/api/configuration.ts'
import { QUOTA_EVALUATORS } from '../charges/evaluators/table.ts'
import type { SchemaDefinitions } from '../schema/type/compile.ts'
import { compileSchema } from '../schema/type/compile.ts'
import { isObject } from '../machinery/object.ts'
import { ApiError, badRequest, qualified, timedOut } from '../machinery/status.ts'
import type { Exchange } from '../runtime/http/exchange.ts'
import type { ShownCredential } from '../runtime/http/shown-credential.ts'
import type { Logger } from '../runtime/process/logger.ts'
import type { Metrics } from '../runtime/process/metrics.ts'
import { type ClockSteps, clockStepsOf } from '../runtime/time/clock-steps.ts'
import { type OpenRequestDeadline, RequestDeadlines } from '../runtime/time/request-deadlines.ts'
import type { Store } from '../store/store.ts'
import { StoreError } from '../store/record/store-error.ts'
import { builtInPlugins } from './admission/built-in-plugins.ts'
import { AdmissionChain } from './admission/chain.ts'
import { QuotaAdmission } from './resource-quota/quota-admission.ts'
import { HookClient } from './admission/webhook/hook-client.ts'
import type { HookObstacle } from './admission/webhook/hook-obstacle.ts'
import { MatchConditions } from './admission/webhook/match-conditions.ts'
import { Webhooks } from './admission/webhook/webhooks.ts'
import { builtinResources } from './resource/builtin-resources.ts'
import { Controllers } from './controllers.ts'
import type { Action } from './auth/request/action.ts'
import { Authorizer } from './auth/rule/authorizer.ts'
import { requestAction } from './auth/request/request-action.ts'
import { StrategyGuards } from './auth/guard/strategies.ts'
import { ServiceAccountTokens } from './auth/identity/service-account-tokens.ts'
import { TokenSigner } from './auth/identity/token-signer.ts'
import type { ServerContext } from './resource/server-context.ts'
import { answerError } from './http/answer/answer.ts'
import { Authenticator } from './http/request/authenticate.ts'
import { PathHandler } from './http/path/path-handler.ts'
import { YamlReader } from './decoding/yaml-reader.ts'
import { PathNotFound } from './http/answer/path-not-found.ts'
import { requestTimeout } from './http/request/timeout.ts'
import { ResourceHandler } from './http/resource-handler.ts'
import { ServiceAllocator } from './storing/service-allocator.ts'
import { builtInStrategies } from './resource/built-in-strategies.ts'
import { EventWriter } from './event/writer.ts'
import { ObjectOperations } from './operation/object-operations.ts'
import type { StartWorkloads } from './port/workload-port.ts'
import { OpenWatches } from './storing/open-watches.ts'
import { QuotaAccessor } from './resource-quota/quota-accessor.ts'
import { compileProtobuf } from './protobuf/message-set.ts'
import type { ProtobufData } from './protobuf/data.ts'
import { omittedFields } from './protobuf/omitted-field.ts'
import { StoreWriter } from './storing/store-writer.ts'
import { Registry } from './resource/registry.ts'
import { requestLabels } from './http/request/labels.ts'
import { storeFailure } from './http/answer/store-failure.ts'
import { parseTarget, type ResourceTarget } from './auth/request/target.ts'

export interface ControlPlaneOptions {
  readonly store: Store
  /** The parsed files of `schemas/`. */
  readonly data: {
    readonly definitions: unknown
    readonly resources: unknown
    readonly openapiMessages: unknown
    readonly protobuf: unknown
  }
  readonly adminToken: string
  /** PEM of the key (P-256) that ServiceAccount tokens are signed with; without it tokens end with the process. */
  readonly tokenKey?: string
  /** PEM; published in every namespace as `kube-root-ca.crt`. */
  readonly caCertificate: string
  readonly logger: Logger
  readonly metrics: Metrics
  readonly serverContext: ServerContext
  /** The steps of the clock of `serverContext`; default: a watch of the control plane's own. */
  readonly clockSteps?: ClockSteps
  /** Host and port under which clients reach the server. */
  readonly serverAddress?: string
  /** Refusals name the first quota that refuses and no other, as Kubernetes does. */
  readonly firstRefusalOnly?: boolean
  /** The resources that may be used only where a quota covers them. */
  readonly limitedResources?: readonly LimitedResource[]
  /** At which percentages of a limit of a quota clients are warned; default: at none. */
  readonly warnAt?: readonly number[]
  /** Starts the controllers that make pods of workloads, and a node that simulates them; without it nothing does. */
  readonly workloads?: StartWorkloads | undefined
  /** How long an Event lives after it was last written; default an hour. */
  readonly eventLifeSeconds?: number
  /** Counts the time of requests; tests give one with a time of its own. */
  readonly deadlines?: RequestDeadlines
  /** Ends a start early: what still waits is not waited for. */
  readonly stop?: AbortSignal
}

const EVENT_LIFE_SECONDS = 3600

/** The embedded control plane: an API server and the controllers that a cluster cannot do without. */
export class ControlPlane {
  readonly #registry: Registry
  readonly #resources: ResourceHandler
  readonly #controllers: Controllers
  readonly #paths: PathHandler
  readonly #authenticator: Authenticator
  readonly #authorizer: Authorizer
  readonly #logger: Logger
  readonly #metrics: Metrics
  readonly #deadlines: RequestDeadlines
  readonly #hooks: HookClient
  readonly #webhooks: Webhooks
  #ready = false

  /**
   * Resolves when everything is ready: system namespaces exist and are furnished, quotas are counted. Objects that webhooks
   * reject are written later; no webhook keeps the server from starting.
   */
  static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    const plane = new ControlPlane(options)
    const { serverAddress = '', workloads, stop } = options
    await plane.#controllers.start({
      serverAddress,
      workloads,
      stop,
      hasWebhooks: () => plane.#webhooks.any,
      onBehind: (controllers) =>
        options.logger.warn(
          { controllers, ...plane.obstacle },
          'the server starts although controllers have not caught up: webhooks keep them from writing',
        ),
    })
    plane.#ready = true
    return plane
  }

  private constructor({
    store,
    data,
    adminToken,
    caCertificate,
    logger,
    metrics,
    serverContext,
    tokenKey,
    serverAddress = '',
    firstRefusalOnly = false,
    limitedResources = [],
    warnAt = [],
    eventLifeSeconds = EVENT_LIFE_SECONDS,
    deadlines = new RequestDeadlines(),
    clockSteps = clockStepsOf(serverContext.now),
  }: ControlPlaneOptions) {
    const definitions = part(data.definitions, 'definitions') as SchemaDefinitions
    const schemas = compileSchema(definitions, omittedFields(data.protobuf as ProtobufData))
    const registry = new Registry(schemas, builtinResources(data.resources, builtInStrategies), builtInStrategies)
    const { now } = serverContext
    const accessor = new QuotaAccessor({
      store,
      type: schemas.type('io.k8s.api.core.v1.ResourceQuota'),
      now,
      serves: (resource) => registry.ofBucket(qualified(resource)) !== undefined,
      evaluators: QUOTA_EVALUATORS,
    })
    const authorizer = new Authorizer(store)
    const tokens = new ServiceAccountTokens(store, new TokenSigner(tokenKey), serverContext)
    const authenticator = new Authenticator({ adminToken, tokens, authorizer, now })
    this.#deadlines = deadlines
    this.#hooks = new HookClient(store)
    this.#webhooks = new Webhooks({
      store,
      registry,
      client: this.#hooks,
      conditions: new MatchConditions(authorizer),
      onIgnored: (hook, error) => logger.warn({ hook, error }, 'a webhook failed; its policy is to be ignored'),
    })
    const admission = new AdmissionChain(builtInPlugins({ store, registry, authorizer, serverContext }), this.#webhooks)
    this.#authenticator = authenticator
    this.#authorizer = authorizer
    const access = {
      authorizer,
      tokens,
      identify: (token: string, audiences?: readonly string[]) => authenticator.identify(token, audiences),
    }
    const writer = new StoreWriter(store)
    const quotaAdmission = new QuotaAdmission({
      store,
      writer,
      accessor,
      evaluators: QUOTA_EVALUATORS,
      wording: firstRefusalOnly ? 'first' : 'all',
      limitedResources,
      warnAt,
      onVerdict: (verdict) => metrics.quotaDecisions[verdict].inc(),
      onUncertain: (namespace) => this.#controllers.recount(namespace),
      onForeignStatus: (namespace) => this.#controllers.recountSoon(namespace),
      recheck: (review) => admission.recheck(review),
    })
    const operations = new ObjectOperations({
      store,
      registry,
      admission,
      quotaAdmission,
      services: new ServiceAllocator(store),
      serverContext,
      access,
      guards: new StrategyGuards({ authorizer, store, registry }),
    })
    const watches = new OpenWatches({ opened: () => metrics.watchOpened(), closed: () => metrics.watchClosed() })
    const protobuf = compileProtobuf(data.protobuf as ProtobufData)
    this.#registry = registry
    this.#resources = new ResourceHandler({
      store,
      registry,
      operations,
      access,
      decoders: { protobuf, yaml: new YamlReader() },
      protobuf,
      serverContext,
      watches,
      now,
    })
    this.#controllers = new Controllers({
      store,
      writer,
      registry,
      operations,
      events: new EventWriter({ operations, registry, serverContext }),
      watches,
      serverContext,
      clockSteps,
      accessor,
      caCertificate,
      eventLifeSeconds,
      onError: this.#failed,
      onDrift: (drift) => {
        metrics.quotaDrift.inc()
        logger.warn({ ...drift }, 'the usage of a quota was wrong and has been counted anew')
      },
    })
    this.#logger = logger
    this.#metrics = metrics
    this.#paths = new PathHandler({
      registry,
      definitions,
      openApiMessages: part(data.openapiMessages, 'messages'),
      serverAddress,
      checks: {
        ping: () => true,
        store: () => store.obstacle ?? true,
        'poststarthook/start-system-objects': () => this.#ready,
      },
      metrics,
      now,
    })
  }

  /** A refusal is what somebody's objects lead to, such as one that its schema does not allow any more; the rest is ours. */
  readonly #failed = (controller: string) => (key: string, error: unknown) => {
    const obstacle = this.#webhooks.obstacles.of(error)
    const webhook = obstacle === undefined ? {} : { webhookConfiguration: `${obstacle.kind}/${obstacle.configuration}` }
    const fields = { controller, key, error, ...webhook }
    if (error instanceof ApiError && error.status.code < 500)
      this.#logger.warn(fields, 'a write of a controller was rejected; it will try again')
    else this.#logger.error(fields, 'a controller failed; it will try again')
  }

  /** The webhook that stands in the way of writes, if one does. */
  get obstacle(): HookObstacle | undefined {
    return this.#webhooks.obstacles.current
  }

  /** The server's authority has another certificate (PEM): it is published from now on. */
  useCaCertificate(caCertificate: string): void {
    this.#controllers.publish(caCertificate)
  }

  /** Is this credential somebody's? */
  knows(credential: ShownCredential): boolean {
    return this.#authenticator.knows(credential)
  }

  /** Answers one exchange, whatever it holds. Never throws. */
  async handle(exchange: Exchange): Promise<void> {
    const started = performance.now()
    let target: ResourceTarget | undefined
    let deadline: OpenRequestDeadline | undefined
    try {
      const parsed = parsePath(exchange.path)
      if (parsed.type === 'resource') target = parsed
      const caller = this.#authenticator.authenticate(exchange)
      const action = requestAction(exchange, parsed)
      deadline = this.#deadlineOf(exchange, action)
      this.#authorizer.demand(caller, action)
      // From here on only the action counts, not the method.
      if (parsed.type === 'resource' && action.type === 'resource')
        await this.#resources.handle(exchange, parsed, action, caller, deadline)
      else if (action.type === 'path') await this.#paths.handle(exchange, action)
    } catch (error) {
      this.#refuse(exchange, error)
    } finally {
      deadline?.end()
    }
    this.#metrics
      .request(requestLabels(this.#registry, exchange, target))
      .finished(exchange.code, (performance.now() - started) / 1000)
  }

  /**
   * Whatever a request waits for, it is refused when its time is over, and given up when its client leaves; what it stores by
   * then is waited for.
   */
  #deadlineOf(exchange: Exchange, action: Action): OpenRequestDeadline | undefined {
    const timeout = requestTimeout(exchange, action)
    if (timeout === undefined) return undefined
    const deadline = this.#deadlines.begin({ ...timeout, over: (refusal) => this.#refuse(exchange, refusal) })
    exchange.whenLeft(() => deadline.cancel(timedOut('the client left before the request was complete')))
    return deadline
  }

  #refuse(exchange: Exchange, error: unknown): void {
    if (error instanceof PathNotFound) return exchange.respond(404, 'text/plain; charset=utf-8', '404 page not found\n')
    if (error instanceof StoreError)
      return answerError(exchange, storeFailure(error), () => this.#logger.error({ error }, 'a write was not stored'))
    answerError(exchange, error, (bug) =>
      this.#logger.error({ error: bug, method: exchange.method, path: exchange.path }, 'a request failed unexpectedly'),
    )
  }

  /** Stops the controllers; the store is the caller's to close. */
  async stop(): Promise<void> {
    this.#ready = false
    this.#authorizer.stop()
    // The controllers' calls of webhooks end first: the controllers wait for them.
    this.#hooks.close()
    await this.#controllers.stop()
    this.#webhooks.stop()
  }
}

function parsePath(path: string): ReturnType<typeof parseTarget> {
  try {
    return parseTarget(path)
  } catch {
    throw badRequest('the path holds an invalid percent escape')
  }
}

function part(data: unknown, name: string): Readonly<Record<string, object>> {
  if (!isObject(data) || !isObject(data[name])) throw new TypeError(`a schema file lacks "${name}"`)
  return data[name] as Readonly<Record<string, object>>
}
