/**
 * What {@code understudy report} prints: figures of a running proxy, fetched from its admin endpoint, of the primary's binary log, or
 * of binary log files. One class per report that turns maps into text; where the figures come from is apart from how they look.
 */
@NullMarked
package io.understudy.cli.report;

import org.jspecify.annotations.NullMarked;
