/** Writing plain values as JSON, for the admin endpoint and the command line. */
@NullMarked
package io.understudy.cli.json;

import org.jspecify.annotations.NullMarked;
