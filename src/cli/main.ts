#!/usr/bin/env node
process.stdout.write('Usage: tickwright <live|paper|backtest|simulator|record> --config <file>\n');
