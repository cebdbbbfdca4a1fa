import { Agent, request } from 'undici'
import { borrowRealServer } from '../differential/real-server.ts'

export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  readonly body: any
}

/** An API server, asked by its administrator. */
export interface Server {
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  stop(): Promise<void>
}

/** A real API server without anything of allot but, perhaps, its CRDs. */
export async function realServer(): Promise<Server> {
  const server = await borrowRealServer()
  const agent = new Agent({ connect: { rejectUnauthorized: false } })
  return {
    send: async (method, path, body, headers = {}) => {
      const answer = await request(new URL(path, server.url), {
        dispatcher: agent,
        method,
        headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...headers },
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: answer.statusCode, body: parsed(await answer.body.text()) }
    },
    stop: async () => {
      await agent.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A group that is not served yet is reported in plain text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
