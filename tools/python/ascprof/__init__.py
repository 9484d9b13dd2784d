# SPDX-License-Identifier: Apache-2.0
"""ascprof for Python: `from ascprof import acl`, whatever `import acl` may be."""
