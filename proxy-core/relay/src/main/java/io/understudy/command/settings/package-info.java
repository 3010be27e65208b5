/**
 * A session's settings that give its texts their meaning: {@code sql_mode}, character set, time zone, variables that
 * change what a read returns, temporary tables. They follow the client's SET statements and the server's reports; what
 * they cannot follow is not known.
 */
@NullMarked
package io.understudy.command.settings;

import org.jspecify.annotations.NullMarked;
