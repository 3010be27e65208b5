/**
 * The output of {@code understudy report}: figures of a running proxy from its admin endpoint, of the primary's binary
 * log, or of binary log files. One class per report turns maps into text; reading the figures is separate from
 * formatting them.
 */
@NullMarked
package io.understudy.cli.report;

import org.jspecify.annotations.NullMarked;
