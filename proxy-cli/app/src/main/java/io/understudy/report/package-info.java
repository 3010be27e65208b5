/** Formats reports as text and fetches their data from a running proxy or from the binary log. */
@NullMarked
package io.understudy.report;

import org.jspecify.annotations.NullMarked;
