import { constants, type ServerHttp2Session } from 'node:http2'

/** How many may come at once, and how many a second after that. */
interface Ration {
  readonly burst: number
  readonly perSecond: number
}

/** Clients need far fewer of these frames: a ping now and then, settings at the beginning. */
const PINGS: Ration = { burst: 200, perSecond: 10 }
const SETTINGS: Ration = { burst: 100, perSecond: 1 }

/** Ends a connection whose client sends more frames that ask for nothing than any client needs. */
export function rationFrames(session: ServerHttp2Session): void {
  const end = (): void => endFlood(session)
  const pings = counter(PINGS, end)
  const settings = counter(SETTINGS, end)
  session.on('ping', pings)
  session.on('remoteSettings', settings)
}

/** Tells the client to be calm, and ends the connection. */
export function endFlood(session: ServerHttp2Session): void {
  if (session.destroyed) return
  session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  session.destroy()
}

function counter({ burst, perSecond }: Ration, exceeded: () => void): () => void {
  let left = burst
  let at = performance.now()
  return () => {
    const now = performance.now()
    left = Math.min(burst, left + ((now - at) / 1000) * perSecond) - 1
    at = now
    if (left < 0) exceeded()
  }
}
