/** What a standby says of the tables and views that a statement names. */
@NullMarked
package io.understudy.plugins.mirror.tables;

import org.jspecify.annotations.NullMarked;
