/** Facts, replica status, grants, GTIDs and statements of MariaDB and MySQL over JDBC, each once for everybody. */
@NullMarked
package io.understudy.servers;

import org.jspecify.annotations.NullMarked;
