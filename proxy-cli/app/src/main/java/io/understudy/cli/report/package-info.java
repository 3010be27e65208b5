/**
 * The output of {@code understudy report}: figures of a running proxy from its admin endpoint, of the primary's binary
 * log, or of binary log files. Their texts are layouts beside {@link io.understudy.report.ReportText}.
 */
@NullMarked
package io.understudy.cli.report;

import org.jspecify.annotations.NullMarked;
