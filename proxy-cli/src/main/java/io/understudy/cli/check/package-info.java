/** What {@code check --connect} asks the servers: accounts, privileges, roles and settings. */
@NullMarked
package io.understudy.cli.check;

import org.jspecify.annotations.NullMarked;
