/**
 * A session's prepared statements: their texts and settings by the server's id, the types and long data of their
 * executions, and the statements that {@code PREPARE} has named. Locates the parts of a COM_STMT_EXECUTE without
 * reading its values.
 */
@NullMarked
package io.understudy.command.prepared;

import org.jspecify.annotations.NullMarked;
