/** What needs real servers, or more than one module. Servers are started by the tests on free ports of 127.0.0.1. */
@NullMarked
package io.understudy.it;

import org.jspecify.annotations.NullMarked;
