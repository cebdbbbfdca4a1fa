import uPlot from 'uplot'
import type { HistoryRow } from '../data/answer.ts'
import { drawnNumber } from '../format/drawn-number.ts'
import { isClosedAtLast } from '../format/drawn-shares.ts'
import { type AmountKind, kindOfAmount } from '../format/kind-of-amount.ts'
import { drawnUnit, tickText } from '../format/tick-text.ts'
import { timeTicks } from '../format/time-ticks.ts'
import { timeText } from '../format/times.ts'
import type { Use } from '../format/use-of.ts'
import { onThemeChange } from './on-theme-change.ts'

const HEIGHT = 260
const AXIS_WIDTH = 76
const FONT = "12px system-ui, 'Liberation Sans', sans-serif"
/** Between two labels of the time axis, in pixels. */
const LABEL_GAP = 16
/** So many seconds before a sample are drawn where it is the only one. */
const ALONE_S = 60

/** As those of bars. */
const COLOURS: Readonly<Record<Use['level'], string>> = {
  room: '--bar',
  unknown: '--bar',
  near: '--near',
  tight: '--tight',
  full: '--full',
  over: '--full',
}

/** Draws use and limit over time into an element until it is over, as wide as the element is, in the colours of the theme. */
export function drawHistory(element: HTMLElement, row: HistoryRow, level: Use['level'], over: AbortSignal): void {
  if (over.aborted) return
  let chart = chartOf(element, row, level)
  const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
  observer.observe(element)
  onThemeChange(() => {
    chart.destroy()
    chart = chartOf(element, row, level)
  }, over)
  over.addEventListener('abort', () => {
    observer.disconnect()
    chart.destroy()
  })
}

function chartOf(element: HTMLElement, { samples, resource }: HistoryRow, level: Use['level']): uPlot {
  const colour = (name: string): string => colourOf(element, name)
  const label = Math.ceil(widthOf('00:00:00'))
  const axis = {
    font: FONT,
    stroke: colour('--ink'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line') },
  }
  const { hard = '' } = samples.at(-1) ?? {}
  const used = samples.map((one) => drawnNumber(one.used))
  const limits = samples.map((one) => drawnNumber(one.hard))
  const unit = drawnUnit(Math.max(...[...used, ...limits].map((one) => one ?? 0)), resource, hard)
  const inUnits = (numbers: readonly (number | null)[]) => numbers.map((one) => (one === null ? null : one / unit))
  const values = (_: uPlot, ticks: readonly number[]): string[] =>
    ticks.map((tick) => tickText(tick * unit, resource, hard))
  const times = (_: uPlot, ticks: readonly number[]): string[] => ticks.map((tick) => timeText(new Date(tick * 1000)))
  const labelled = (_: uPlot, __: number, start: number, end: number, step: number, space: number): number[] => [
    ...timeTicks(start, end, {
      step,
      least: ((label + LABEL_GAP) * step) / space,
      ahead: -60 * new Date(end * 1000).getTimezoneOffset(),
    }),
  ]
  const seconds = samples.map(({ at }) => Date.parse(at) / 1000)
  const [first = 0, ends = first] = [seconds[0], seconds.at(-1)]
  const begins = first < ends ? first : ends - ALONE_S
  // Of a single sample there is no line.
  const points = { show: samples.length === 1 }
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      // Half of the last label is beyond the last mark.
      padding: [null, label / 2 + LABEL_GAP / 2, null, null],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: [begins, ends] },
        y: { range: (_, __, most) => [0, most * 1.05 || 1] },
      },
      axes: [
        { ...axis, splits: labelled, values: times, space: label + LABEL_GAP },
        { ...axis, size: AXIS_WIDTH, values, ...STEPS[kindOfAmount(resource, hard)] },
      ],
      series: [
        {},
        {
          stroke: colour(COLOURS[level]),
          fill: colour(`${COLOURS[level]}-soft`),
          width: 2,
          points,
        },
        {
          stroke: colour('--full'),
          width: 2,
          dash: [6, 4],
          points,
          // Of a limit of 0, all that is above it is closed.
          ...(isClosedAtLast(samples) ? { fill: colour('--full-soft'), fillTo: highest } : {}),
        },
      ],
    },
    [seconds, inUnits(used), inUnits(limits)],
    element,
  )
}

const highest = ({ scales }: uPlot): number => scales['y']?.max ?? 0

/** How wide a text of an axis is drawn, in pixels. */
function widthOf(text: string): number {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return 0
  context.font = FONT
  return context.measureText(text).width
}

/** A colour of the theme, as a canvas takes it. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement('span'))
  probe.style.color = `var(${name})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Between the marks of an axis. What is neither bytes nor cores is mostly counted, and there is no half of it. */
const STEPS: Readonly<Record<AmountKind, Pick<uPlot.Axis, 'incrs'>>> = {
  bytes: { incrs: Array.from({ length: 60 }, (_, exponent) => 2 ** exponent) },
  number: { incrs: Array.from({ length: 16 }, (_, exponent) => [1, 2, 5].map((one) => one * 10 ** exponent)).flat() },
  cores: {},
}
