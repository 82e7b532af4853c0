import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ReportAssets } from './render-report.ts';

const resolver = createRequire(import.meta.url);

const text = (path: string | URL): string => readFileSync(path, 'utf8');

/** Reads the chart library from the installed package and the page's script from beside this file. */
export function loadReportAssets(): ReportAssets {
  return {
    chartLibrary: text(resolver.resolve('uplot/dist/uPlot.iife.min.js')),
    chartStyle: text(resolver.resolve('uplot/dist/uPlot.min.css')),
    pageScript: text(new URL('./page/draw-charts.js', import.meta.url)),
  };
}
