/** The queries of {@code check --connect}: accounts, privileges, roles and settings. */
@NullMarked
package io.understudy.cli.check;

import org.jspecify.annotations.NullMarked;
