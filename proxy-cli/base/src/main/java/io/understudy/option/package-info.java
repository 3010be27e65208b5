/** Options that several commands have: the proxy, the server or the log that they work on, and the form of a report. */
@NullMarked
package io.understudy.option;

import org.jspecify.annotations.NullMarked;
